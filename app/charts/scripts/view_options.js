// The view options that there are, each with the word that people read; the address names them by their keys.

export const AXES = { step: "step", tokens: "tokens", episodes: "episodes", wall: "wall time", relative: "relative time" };

// Points over which a mean is taken.
export const SMOOTHING = { 0: "off", 5: "5 points", 20: "20 points", 100: "100 points" };

export const SCALES = { auto: "as fits", linear: "linear", log: "log", symlog: "symmetric log" };
