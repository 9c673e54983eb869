"""What the keyboard can do in the HTML report: reach all that can be used, see where it is, and work it. With real key events."""
from harness import expect

USABLE = "a[href], button, input, select, summary, [tabindex='0']"
# What a Tab should stop at: on the page, not switched off, not inside something closed.
STOPS = f"""[...document.querySelectorAll("{USABLE}")].filter(e => !e.disabled && e.checkVisibility() && !e.closest('dialog'))"""
NAMED = """e => (e.getAttribute('aria-label') || e.textContent || e.title || e.labels?.[0]?.textContent || '').trim() !== ''"""
MOST_STOPS = 600
SELECTED = "document.querySelector('.told').textContent"


def focused(browser, what):
    return browser.evaluate(f"(e => {what})(document.activeElement)")


def tab_reaches_all(browser, page):
    browser.open(page)  # Tab goes on from the last click
    browser.press("Tab")
    expect(focused(browser, "e.className") == "skip", "the first Tab goes to the link that skips the head")
    browser.evaluate(f"window.left = new Set({STOPS}); window.stops = left.size; left.delete(document.activeElement)")
    expect(browser.evaluate("stops") < MOST_STOPS, "too many stops to go through")
    unnamed = browser.evaluate(f"[...left].filter(e => !({NAMED})(e)).map(e => e.outerHTML.slice(0, 200))")
    expect(not unnamed, f"without a name for a screen reader: {unnamed}")
    for _ in range(MOST_STOPS):
        browser.press("Tab")
        if focused(browser, "e === document.body"):  # the end
            break
        seen = focused(browser, "(left.delete(e), getComputedStyle(e).outlineStyle !== 'none')")
        expect(seen, f"no visible focus on {focused(browser, 'e.outerHTML.slice(0, 200)')}")
    missed = browser.evaluate("[...left].map(e => e.outerHTML.slice(0, 200))")
    expect(not missed, f"Tab does not reach {missed}")


def question_mark_shows_the_keys(browser):
    browser.press("?")
    expect(browser.evaluate("document.getElementById('keys').open"), "? shows the keys")
    browser.press("Escape")
    expect(not browser.evaluate("document.getElementById('keys').open"), "Escape closes them")


def terms_explain_themselves(browser):
    browser.evaluate("document.querySelector('#coverage .term[tabindex]').focus()")
    shown = "(tip => tip.hidden ? null : tip.textContent)(document.getElementById('meaning'))"
    means = focused(browser, "e.dataset.means")
    expect(means and browser.evaluate(shown) == means, f"the focus on a term shows {means!r}")
    browser.press("Escape")
    expect(browser.evaluate(shown) is None, "Escape takes the explanation away")


def strip_goes_from_stall_to_stall(browser):
    browser.evaluate("document.getElementById('strip').focus()")
    stories = []
    for _ in range(3):
        browser.press("ArrowRight")
        stories.append(browser.evaluate("document.querySelector('#story h3').textContent"))
    expect(len(set(stories)) > 1, f"arrow keys in the chart go from stall to stall: {stories}")
    browser.press("Enter")
    expect(focused(browser, "e.id") == "story", "Enter goes to the story of the stall")


def timeline_is_worked(browser):
    browser.evaluate("document.querySelector('#timeline .lanes').focus()")
    at_first = browser.evaluate(SELECTED)
    for key in ("n", "+", "ArrowRight", "ArrowDown", "Enter"):
        browser.press(key)
    told = browser.evaluate(SELECTED)
    expect(told != at_first and ": " in told and "from" in told, f"the timeline tells of the event that the keys went to: {told!r}")
    browser.press("Escape")
    expect(browser.evaluate(SELECTED) == at_first, "Escape lets go of the event")
    browser.press("Escape")
    expect(focused(browser, "e.id") == "strip", "Escape goes back to where the stall was chosen")


def lists_open(browser):
    for rows, opener in (("request-rows", "[data-row]"), ("slow-rows", "[aria-expanded]")):
        if not browser.evaluate(f"Boolean(document.querySelector('#{rows} {opener}'))"):
            continue
        before = browser.evaluate(f"document.querySelectorAll('#{rows} tr').length")
        browser.evaluate(f"document.querySelector('#{rows} {opener}').focus()")
        browser.press("Enter")
        expect(browser.evaluate(f"document.querySelectorAll('#{rows} tr').length") > before, f"Enter opens a row of {rows}")
        expect(focused(browser, "e.getAttribute('aria-expanded')") == "true", f"{rows}: the focus stays where it was")


def waterfall_opens(browser):
    browser.evaluate("document.querySelector('#whole-request details:not([open]) summary').focus()")
    browser.press("Enter")
    settled = "new Promise(done => setTimeout(() => done(document.activeElement.parentElement), 100)).then(e => e.open && e.querySelector('.inside').textContent !== '')"
    expect(browser.evaluate(settled), "Enter opens a row of a waterfall")


def keys_reach_everything(browser, page):
    tab_reaches_all(browser, page)
    question_mark_shows_the_keys(browser)
    terms_explain_themselves(browser)
    strip_goes_from_stall_to_stall(browser)
    timeline_is_worked(browser)
    waterfall_opens(browser)
    lists_open(browser)
