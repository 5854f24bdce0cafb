"""More than one process: gloo and shared memory on CPUs, NCCL on GPUs, models split over all of them."""
