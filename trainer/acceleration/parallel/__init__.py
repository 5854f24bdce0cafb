"""Multi-process training: gloo and shared memory on CPUs, NCCL on GPUs, models sharded over all of them."""
