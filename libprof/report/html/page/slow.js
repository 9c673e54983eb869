// The slow tokens: a list to choose from, what is known about the chosen one, and its timeline.

// Who is chosen. Others listen.
class Chooser {
  constructor() {
    this.listeners = [];
    this.cameFrom = null;
  }

  goBack() {
    const back = this.cameFrom && this.cameFrom.isConnected ? this.cameFrom : document.getElementById("strip");
    if (back) back.focus();
  }

  // `goThere`: bring the story into view; Escape in the timeline then leads back to where the focus was.
  choose(token, goThere) {
    if (goThere) this.cameFrom = document.activeElement;
    for (const listener of this.listeners) listener(token, goThere);
  }
}

// The chosen token's story and timeline.
class SlowToken {
  constructor(data, chooser) {
    this.data = data;
    this.chooser = chooser;
    this.timeline = new Timeline(data.names, () => chooser.goBack());
    this.story = el("div", {id: "story", tabindex: "-1"});
    this.notes = el("p", {class: "soft"});
    this.legend = el("div");
    this.without = empty();
    this.whole = el("div", {id: "whole-request"});
    this.parts = [this.timeline.controls(), this.timeline.told, this.timeline.host, this.legend, this.notes];
  }

  node() {
    return [this.story, this.parts, this.without, this.whole];
  }

  show(token, goThere) {
    const moment = token.window === null ? null : this.data.moments[token.window];
    this.story.replaceChildren(tokenStory(token, this.data, (other, goThere) => this.chooser.choose(other, goThere)));
    for (const part of this.parts) part.hidden = !moment;
    this.without.hidden = Boolean(moment);
    if (moment) {
      const from = token.start_ns - moment.start_ns;
      this.timeline.show(requestsFirst(moment, token.req), {from, to: from + token.took_ns});
      this.legend.replaceChildren(kindLegend(moment, this.data.names));
      this.notes.textContent = momentNotes(moment);
    } else {
      this.without.replaceChildren(
          `The page keeps the timelines of the ${
              counted(this.data.moments.length, "worst moment")}; this is none of them. `,
          el("code", null, `slowtoken why TRACE ${token.req} ${token.n}`), " tells about it.");
    }
    const life = waterfallOf(this.data, token.req);
    this.whole.replaceChildren();
    if (life)
      add(this.whole, null,
          [el("h3", null, "The whole request, from its arrival"), new Waterfall(this.data, life, this.chooser).node()]);
    if (goThere) this.goThere();
  }

  goThere() {
    this.story.scrollIntoView({block: "start"});
    this.story.focus({preventScroll: true});
  }
}

function showSlow(data, chooser) {
  const tokens = data.slow.list, all = data.slow.stalls + data.slow.first_tokens;
  const node = section(
      "slow", "Slow tokens, and what happened around them", "Slow tokens",
      "Choose one here, or a mark in the chart above. The timeline shows requests, threads, CUDA calls and the GPU around it.");
  if (tokens.length === 0) {
    node.append(empty(`No token was slow, judged by ${data.judged_by}.`));
    return;
  }
  const list = new SlowList(tokens, (token, goThere) => chooser.choose(token, goThere)),
        chosen = new SlowToken(data, chooser);
  const cut = tokens.length < all ?
      el("p", {class: "soft"}, `Of ${count(all)} slow tokens the worst ${count(tokens.length)} are listed.`) :
      null;
  add(node, null, [list.node(), cut, chosen.node()]);
  chooser.listeners.push((token) => list.mark(token), (token, goThere) => chosen.show(token, goThere));
  redraws.push(() => chosen.timeline.layOut());
  chooser.choose(worstToken(data.slow), false);
}
