// Who let the GPU wait: its idle time by what launched next.

const LISTED_PLACES = 8;

// A name that is a pseudonym tells less than what the thread is for.
function placeThread({thread_name: name, thread_role: role, thread}) {
  const known = name && !name.startsWith("~") ? name : role || "thread";
  return `${known} ${thread}`;
}

function placesTable(places) {
  const most = places[0].total_ns;
  return table(
      [
        {title: "innermost range", text: true}, {title: "thread", text: true, optional: true}, {title: "GPU idle"},
        {title: "times"}, {title: "longest", optional: true}, {title: "", meter: true}
      ],
      places.slice(0, LISTED_PLACES)
          .map(
              (place) =>
                  [place.range || "none", placeThread(place), duration(place.total_ns), count(place.count),
                   duration(place.max_ns), meter(place.total_ns, most, DEVICE_COLOURS.host)]));
}

// What the threads did that the GPU waited for, as far as it is known.
function awaitedNodes(gaps) {
  const known = (gaps.awaited || []).filter((thread) => thread.known_ns > 0);
  if (known.length === 0) return [];
  return [
    el("h3", null, "What those threads did meanwhile"),
    table(
        [
          {title: "thread", text: true}, {title: "GPU waited"}, {title: "on a CPU"}, {title: "no CPU for it"},
          {title: "blocked"}, {title: "moves to another CPU", optional: true}
        ],
        known.slice(0, LISTED_PLACES)
            .map(
                (thread) =>
                    [placeThread(thread), duration(thread.known_ns), duration(thread.ran_ns),
                     duration(thread.preempted_ns), duration(thread.blocked_ns), count(thread.migrations)])),
    el("p", {class: "soft"}, "In waits that are not short.")
  ];
}

function launchGapsNode(gaps) {
  const places = gaps.host_idle_by || [], more = places.length - LISTED_PLACES;
  const findings = gaps.findings.map((finding) => el("li", null, finding.text));
  return [
    el("h3", null, "Who let the GPU wait"), findings.length > 0 ? el("ul", {class: "warnings notes"}, findings) : null,
    places.length > 0 ? placesTable(places) :
                        empty(
                            gaps.host_idle_by === null ? "Too many GPU records are missing to tell." :
                                                         "The GPU never waited for a launch."),
    more > 0 ? el("p", {class: "soft"}, `${counted(more, "further place")} cost less; --format=json lists all.`) : null,
    ...awaitedNodes(gaps)
  ];
}
