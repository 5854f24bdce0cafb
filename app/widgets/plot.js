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

export default function ({ data, parentElement, setTriggerValue }) {
  const figure = JSON.parse(data.figure);
  const place = placeIn(parentElement, figure);
  place.setAttribute("aria-label", data.words);
  loaded(data.source, data.not_loaded)
    .then((Plotly) => Plotly.react(place, figure.data, figure.layout, data.config))
    .then(() => {
      place.removeAllListeners("plotly_click");
      if (data.has_steps) place.on("plotly_click", (event) => setTriggerValue("step", event.points[0].x));
    })
    .catch((error) => {
      place.textContent = error.message;
    });
}
