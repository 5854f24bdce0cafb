// The view options that there are, by the keys that the address names; their words come with the data.

export const AXES = ["step", "tokens", "episodes", "wall", "relative"];

// Points over which a mean is taken.
export const SMOOTHING = [0, 5, 20, 100];

export const SCALES = ["auto", "linear", "log", "symlog"];
