"""Whether the HTML report fits: narrow windows, paper, and who wants no motion."""
from harness import expect

# Blocks of the page that lie over each other, and figures or buttons whose text leaves them.
OVERLAPS = """(() => {
  const found = [], blocks = [...document.querySelectorAll('main > section > *, header, #verdict, nav, footer')].filter(e => e.checkVisibility());
  const boxes = blocks.map(e => e.getBoundingClientRect());
  for (let i = 0; i + 1 < blocks.length; ++i) for (let j = i + 1; j < Math.min(i + 6, blocks.length); ++j) {
    const [a, b] = [boxes[i], boxes[j]];
    if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
      found.push([blocks[i].outerHTML.slice(0, 90), blocks[j].outerHTML.slice(0, 90)]);
  }
  for (const e of document.querySelectorAll('.figures > div, button, .facts dd, .badge'))
    if (e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0) found.push(e.outerHTML.slice(0, 150));
  return found;
})()"""
WIDE = "document.documentElement.scrollWidth"
PAPER_PX = 681  # 18 cm


def settled(browser):
    """Charts follow a new width in the next frames."""
    browser.evaluate("new Promise(done => setTimeout(done, 300))")


def fits(browser, width):
    expect(browser.evaluate(WIDE) <= width, f"at {width} px the page is {browser.evaluate(WIDE)} px wide")
    overlaps = browser.evaluate(OVERLAPS)
    expect(not overlaps, f"at {width} px overlap or are cut off: {overlaps}")


def nothing_is_cut_off(browser):
    """The page itself does not scroll sideways; what is wider scrolls within."""
    for width in (1280, 800, 400):
        browser.resize(width, 800)
        browser.evaluate("scrollTo(0, 0)")
        settled(browser)
        fits(browser, width)


def timeline_names_are_whole(browser):
    """Beside the lanes there is room for their names, and the box is as high as the window lets it be."""
    browser.resize(1280, 900)
    settled(browser)
    needed, shown = browser.evaluate("(v => [v.scrollHeight, v.clientHeight])(document.querySelector('#timeline .view'))")
    expect(shown >= min(needed, 900 - 200), f"of the {needed} px of lanes {shown} are shown")


def paper_is_wide_enough(browser):
    browser.resize(PAPER_PX, 1000)
    browser.emulate(media="print")
    browser.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    settled(browser)
    fits(browser, PAPER_PX)
    for canvas in browser.evaluate("[...document.querySelectorAll('canvas')].filter(c => c.checkVisibility()).map(c => c.getBoundingClientRect().right)"):
        expect(canvas <= PAPER_PX, f"on paper a chart reaches to {canvas} px of {PAPER_PX}")
    browser.evaluate("window.dispatchEvent(new Event('afterprint'))")
    browser.resize(1280, 900)
    expect(browser.evaluate("document.documentElement.dataset.printing") is None, "after printing the page is as before")


def motion_is_not_forced(browser):
    browser.emulate(features={"prefers-reduced-motion": "reduce"})
    expect(browser.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto", "no smooth scrolling for who wants no motion")
    browser.emulate()


def layout_holds(browser):
    nothing_is_cut_off(browser)
    timeline_names_are_whole(browser)
    paper_is_wide_enough(browser)
    motion_is_not_forced(browser)
