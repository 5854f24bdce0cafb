"""Cost: what a sick run went on to spend after its main finding first showed, in steps, hours and GPU-hours."""
