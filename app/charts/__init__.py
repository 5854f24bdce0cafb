"""Charts in the browser: the scripts that draw them, and the points of their curves over HTTP."""
