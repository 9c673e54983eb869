// The GPU: busy and idle, and which kernels took its time.

function deviceNode(device) {
  const name = device.name ? `${device.name}, ${device.uuid}` : device.uuid;
  if (device.busy_ns === null) return [el("h3", null, name), empty("No GPU work was recorded on this device.")];
  const idle = Object.entries(device.idle_by).map(([reason, ns]) => ({name: reason, ns}));
  const whole = device.busy_ns + (device.idle_ns || 0);
  const parts = [{name: "busy", ns: device.busy_ns}, ...idle];
  const words = {
    busy: "it computed",
    host: "idle: the host had not launched the next work",
    dependency: "idle: launched work waited for other work",
    copy: "idle: only copies ran",
    no_work: "idle: no request was in the system",
    unknown: "idle: the launch was not recorded"
  };
  return [
    el("h3", null, name),
    device.idle_ns === null ? empty("Too many GPU records are missing to say how long it was idle.") :
                              stackedBar(parts, whole, "busy and idle", true),
    el("ul", {class: "legend"},
       parts.filter((part) => part.ns > 0)
           .map(
               (part) =>
                   el("li", null, swatch(partColour(part.name)),
                      `${words[part.name] || nameText(part.name)}: ${duration(part.ns)}${
                          device.idle_ns === null ? "" : ` (${percent(part.ns / whole)})`}`))),
    clocksText(device.clocks)
  ];
}

function clocksText(clocks) {
  if (!clocks) return el("p", {class: "soft"}, "Clocks, power and temperature were not sampled.");
  const spread = (d, unit, divide) =>
      (d.least === d.greatest ?
           `${count(Math.round(d.mean / divide))} ${unit}` :
           `${count(Math.round(d.least / divide))} to ${count(Math.round(d.greatest / divide))} ${unit}`);
  const told = [
    clocks.sm_clock_mhz && `SM clock ${spread(clocks.sm_clock_mhz, "MHz", 1)}`,
    clocks.power_mw && `power ${spread(clocks.power_mw, "W", 1000)}`,
    clocks.temperature_c && `${spread(clocks.temperature_c, "°C", 1)}`,
    clocks.throttled_ns > 0 ? `throttled for ${duration(clocks.throttled_ns)}` :
                              clocks.throttled_ns === 0 && "never throttled"
  ].filter(Boolean);
  return el("p", {class: "soft"}, told.join(" · "));
}

function categoriesTable(report) {
  const total = report.kernel_categories.reduce((sum, category) => sum + category.total_ns, 0),
        most = report.kernel_categories[0].total_ns;
  return table(
      [
        {title: "category", text: true}, {title: "GPU time"}, {title: "share"}, {title: "count"},
        {title: "", meter: true}
      ],
      report.kernel_categories.map(
          (c) =>
              [el("span", {class: "cause"}, swatch(kindColour(c.category)), c.category), duration(c.total_ns),
               percent(c.total_ns / total), count(c.count), meter(c.total_ns, most, kindColour(c.category))]));
}

function kernelsTable(kernels) {
  return table(
      [
        {title: "kernel", wide: true}, {title: "category", text: true, optional: true}, {title: "GPU time"},
        {title: "count"}, {title: "p50", optional: true}, {title: "max"}
      ],
      kernels.map(
          (k) =>
              [el("span", {class: "mono"}, k.name), k.category, duration(k.total_ns), count(k.count),
               duration(k.p50_ns), duration(k.max_ns)]));
}

function showMachine(data) {
  const report = data.report, launch = report.launch;
  const node = section("gpu", "GPU and kernels", "GPU", "What the GPU was busy with, and what it waited for.");
  if (report.devices.length === 0) node.append(empty("No GPU was seen. Coverage above says why."));
  add(node, null, report.devices.map(deviceNode));
  if (launch.api_ns.count > 0) {
    add(node, null, [
      el("p", {class: "soft"},
         `A launch took the host ${duration(launch.api_ns.p50_ns)} (median; p99 ${duration(launch.api_ns.p99_ns)}).`,
         launch.delay_ns.count > 0 ?
             ` Its kernel began ${
                 duration(
                     launch.delay_ns
                         .p50_ns)} after the call returned (median): the longer, the further the host runs ahead of the GPU, which is good.` :
             "")
    ]);
  }
  add(node, null, launchGapsNode(report.launch_gaps));
  node.append(el("h3", null, "Kernels by category"));
  if (report.kernels.length === 0) {
    node.append(empty(
        "No kernel was recorded one by one: either no GPU record came, or graphs were recorded whole (--graph=node records their kernels)."));
    return;
  }
  node.append(
      categoriesTable(report), el("h3", null, "Kernels that took longest"), kernelsTable(report.kernels.slice(0, 10)));
  const more = report.kernels.slice(10), left = report.totals.kernels - report.kernels.length;
  if (more.length > 0)
    node.append(
        el("details", null, el("summary", null, `${counted(more.length, "more kernel name")}`), kernelsTable(more)));
  if (left > 0)
    node.append(
        el("p", {class: "soft"},
           `${counted(left, "further kernel name")} took less time and are left out; the categories hold them.`));
}
