// uPlot, as the uplot-python package ships it: a classic script that defines a global.

const load = (source) =>
  new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = resolve;
    script.onerror = () => reject(Object.assign(new Error(source), { source }));
    document.head.append(script);
  });

await load(new URL("../uplot/uPlot.iife.js", import.meta.url));

export default window.uPlot;
