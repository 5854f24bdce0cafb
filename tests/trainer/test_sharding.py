"""Split models, as far as two processes on a CPU can show them: gathered, so that each may generate by itself."""

import os
import subprocess
import sys

GATHER = """
from pathlib import Path

import torch, torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from transformers import LlamaConfig, LlamaForCausalLM
from trainer.processes import part
from trainer.sharding import _gathered

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 30}
model = LlamaForCausalLM(LlamaConfig(**size)).eval()
ids = torch.tensor([[1, 2, 3]])
with torch.no_grad():
    expected = model(input_ids=ids).logits
mesh = init_device_mesh("cpu", (2,))
for unit in (*model.model.layers, model):
    fully_shard(unit, mesh=mesh)
with torch.no_grad(), _gathered(model):
    for _ in range(1 + 4 * rank):  # completions end at different lengths
        found = model(input_ids=ids).logits
torch.testing.assert_close(found, expected)
model(input_ids=ids, labels=ids).loss.backward()
Path(f"alike on {rank}").touch()
part()
"""


def test_processes_may_generate_unequally_long_from_a_model_that_fsdp_split(tmp_path):
    (tmp_path / "gather.py").write_text(GATHER)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "gather.py"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        torchrun, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.glob("alike on *")) == ["alike on 0", "alike on 1"]
