"""Lines that public threads quote, each with its thread: what a training printed at its end."""

CUDA = (  # huggingface/trl issue 4237
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.11 GiB. GPU 0 has a total capacity of 14.74 GiB "
    "of which 1.65 GiB is free. Process 19066 has 6.79 GiB memory in use. Of the allocated memory 4.50 GiB is "
    "allocated by PyTorch, and 2.14 GiB is reserved by PyTorch but unallocated."
)
CUDA_OLD = (  # microsoft/unilm issue 137
    "RuntimeError: CUDA out of memory. Tried to allocate 128.00 MiB (GPU 0; 11.17 GiB total capacity; 10.85 GiB "
    "already allocated; 24.81 MiB free; 10.86 GiB reserved in total by PyTorch)"
)
RAYLET = (  # verl-project/verl issue 4995
    "(raylet) [2026-01-20 08:13:25,391 E 2105 2105] (raylet) node_manager.cc:3099: 1 Workers (tasks / actors) killed "
    "due to memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: 87d772fad6a1, IP: 10.22.68.9)"
)
RAY = (  # verl-project/verl issue 4995
    "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.\n"
    "Memory on the node (IP: 10.22.68.9, ID: 87d772fad6a1) where the lease (lease ID: 790000004006ae9c, "
    "name=agent_loop_worker_4_99f24f82:AgentLoopWorker.__init__, pid=2285, memory used=10.13GB) was running was "
    "891.06GB / 937.50GB (0.950459), which exceeds the memory usage threshold of 0.95. Ray killed this worker"
)
RAY_CRASH = (  # hiyouga/EasyR1 issue 185, with the two counts exchanged: no memory pressure
    "(raylet) node_manager.cc:3069: 0 Workers (tasks / actors) killed due to memory pressure (OOM), 1 Workers crashed "
    "due to other reasons at node (ID: 351e406b)"
)
NCCL = (  # huggingface/open-r1 issue 620
    "[rank2]:[E424 01:17:25.031978332 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank 2] Process group "
    "watchdog thread terminated with exception: [Rank 2] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=4, OpType=BROADCAST, NumelIn=112, NumelOut=112, "
    "Timeout(ms)=1800000) ran for 1800010 milliseconds before timing out."
)
NCCL_OF_RAY = (  # OpenRLHF/OpenRLHF issue 624
    "(ReferenceModelRayActor pid=5823, ip=10.164.227.153) [rank0]:[E1225 12:58:32.712922209 ProcessGroupNCCL.cpp:616] "
    "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=17284, OpType=_ALLGATHER_BASE, "
    "NumelIn=415236096, NumelOut=1245708288, Timeout(ms)=7200000) ran for 7200031 milliseconds before timing out."
)
NCCL_STUCK = (  # snowflakedb/ArcticTraining issue 219
    "[rank7]:[E626 05:14:36.393067540 ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank 7] "
    "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives."
)
MATH_VERIFY = "WARNING:2025-11-12 20:15:31,676: Timeout during comparison"  # RLHFlow/Reinforce-Ada issue 14
GRADER_STACK = (  # hkust-nlp/simpleRL-reason issue 95
    '(main_task pid=5323)   File "/usr/local/lib/python3.10/dist-packages/math_verify/grader.py", line 582, in '
    "sympy_expr_eq"
)
GRADER_THREAD = (  # huggingface/Math-Verify issue 50
    "(main_task pid=1324104) ValueError: signal only works in main thread of the main interpreter"
)
SANDBOX = (  # verl-project/verl issue 3478
    "(ExecutionWorker pid=121256) ERROR:2025-09-15 15:36:24,702:[Request ID: 470dd032] Sandbox API call failed. Last "
    "error: [Request ID: 470dd032] API Request Error: HTTPConnectionPool(host='0.0.0.0', port=12322): Read timed out. "
    "(read timeout=70)"
)
LOADER_BUS = (  # facebookresearch/mmf issue 441, modelscope/ms-swift issue 7264
    "RuntimeError: DataLoader worker (pid 263230) is killed by signal: Bus error. It is possible that dataloader's "
    "workers are out of shared memory. Please try to raise your shared memory limit."
)
LOADER_KILLED = "RuntimeError: DataLoader worker (pid 22358) is killed by signal: Killed."  # RL-ViGen issue 17
LOADER_GONE = "RuntimeError: DataLoader worker (pid(s) 3216) exited unexpectedly"  # GDR-Net issue 16
DISK = "OSError: [Errno 28] No space left on device"  # databrickslabs/dolly issue 139
DISK_SAFETENSORS = (  # hiyouga/LlamaFactory issue 5155
    "safetensors_rust.SafetensorError: Error while serializing: IoError(Os { code: 28, kind: StorageFull, message: "
    '"No space left on device" })'
)
DISK_TORCH = (  # hiyouga/LlamaFactory issue 1223
    "RuntimeError: [enforce fail at inline_container.cc:445] . PytorchStreamWriter failed writing file data/176: file "
    "write failed"
)
WANDB = "wandb: Network error (ReadTimeout), entering retry loop."  # wandb/wandb issue 2039
WANDB_START = (  # GAIR-NLP/DeepResearcher issue 7
    "wandb.errors.errors.CommError: Run initialization has timed out after 90.0 sec. Please try increasing the timeout"
)
HTTP = (  # wandb/wandb issue 1526
    "urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='api.wandb.ai', port=443): Read timed out. (read "
    "timeout=10)"
)
ENGINE = (  # vllm-project/vllm issue 17965
    "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root "
    "cause."
)
ECC = "RuntimeError: CUDA error: uncorrectable ECC error encountered"  # huggingface/trl issue 4149
NOT_FINITE = "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0"  # R1-V issue 69
HISTOGRAM = "ValueError: autodetected range of [nan, nan] is not finite"  # wandb/wandb issue 955
ELASTIC = (  # RLHF-V/RLHF-V issue 11
    "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 0 (pid: 484375) of binary: "
    "/opt/envs/muffin/bin/python"
)
SIGKILL = "  traceback : Signal 9 (SIGKILL) received by PID 394968"  # modelscope/ms-swift issue 7357
RAY_WORKER = (  # OpenRLHF/OpenRLHF issue 305: that memory ran out is a guess of ray's
    "The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR Worker exit detail: Worker "
    "unexpectedly exits with a connection error code 2. End of file. There are some potential root causes. (1) The "
    "process is killed by SIGKILL by OOM killer due to high memory usage. (2) ray stop --force is called."
)
SLURM = "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-23T09:00:00 DUE TO TIME LIMIT ***"
OOM_KILL = "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks"
