// Draws one Plotly figure into its place and updates it there, so that zoom, hover and scroll outlive new data.

const loaded = (source, sentence) => {
  // One script for all charts of the page, whichever asks first.
  window.rlvitalsPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source; // relative to the page, so that a base path is kept
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error(filled(sentence, { source: script.src })));
    document.head.append(script);
  });
  return window.rlvitalsPlotly;
};

const placeIn = (parent, figure) => {
  const found = parent.querySelector(":scope .rlvitals-plot");
  if (found) return found;
  const place = document.createElement("div");
  place.className = "rlvitals-plot";
  place.style.height = `${figure.layout.height}px`; // nothing moves when the chart appears
  place.setAttribute("role", "img");
  parent.append(place);
  return place;
};

// The steps that all charts of the page show, as charts/scripts/page.js left them, else as its address says.
const shownSteps = () => {
  const parameters = new URLSearchParams(window.location.search);
  if (parameters.has("axis")) return null; // whose window is not of steps
  const known = window.rlvitalsZoom;
  if (known?.run === parameters.get("run")) return known.edges;
  const edges = (parameters.get("steps") ?? "").split("~").map(Number);
  return edges.length === 2 && edges.every(Number.isFinite) && edges[0] < edges[1] ? edges : null;
};

const remember = (edges) => {
  const run = new URLSearchParams(window.location.search).get("run");
  window.rlvitalsZoom = { run, edges: edges && edges.map((edge) => Number(edge.toPrecision(12))), isTold: true };
};

// A zoom of the charts, of which the page does not know yet; of several figures the first tells it.
const isNews = (edges, known) => {
  if (String(edges) === String(known) || window.rlvitalsZoom?.isTold) return false;
  remember(edges);
  return true;
};

const edgesIn = (change) => {
  const edges = change["xaxis.range"] ?? [change["xaxis.range[0]"], change["xaxis.range[1]"]];
  return edges.every(Number.isFinite) ? edges : null;
};

// What is zoomed is told to the page, which writes it into the address and draws its figures anew.
const tellZoom = (place, tell) => {
  place.removeAllListeners("plotly_relayout");
  place.on("plotly_relayout", (change) => {
    const edges = edgesIn(change);
    if (!edges && !change["xaxis.autorange"]) return; // of another size, say
    if (String(edges) === String(shownSteps())) return;
    remember(edges);
    tell(edges ?? []);
  });
};

export default function ({ data, parentElement, setTriggerValue }) {
  const figure = JSON.parse(data.figure);
  const place = placeIn(parentElement, figure);
  const edges = data.has_steps ? shownSteps() : null;
  if (edges) Object.assign(figure.layout.xaxis, { range: edges, autorange: false });
  const tell = (zoomed) => setTriggerValue("zoom", zoomed);
  place.setAttribute("aria-label", data.words);
  loaded(data.source, data.not_loaded)
    .then((Plotly) => Plotly.react(place, figure.data, figure.layout, data.config))
    .then(() => {
      place.removeAllListeners("plotly_click");
      if (!data.has_steps) return;
      place.on("plotly_click", (event) => setTriggerValue("step", event.points[0].x));
      tellZoom(place, tell);
      if (isNews(edges, data.steps)) tell(edges ?? []);
    })
    .catch((error) => {
      place.textContent = error.message;
    });
}
