"""The intact runs that the fuzzer starts from: a small one of every format."""

import json
import random
import shutil
import sqlite3
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from benchmarks.event_files import LAYOUTS, event, field, histogram, scalar, tensor, write
from diagnostics.runlog import RunLog
from tests.diagnostics.readers.writers.databases import MLFLOW_TABLES
from tests.diagnostics.readers.writers.whole_files import notebook, training_table

ALL_FIXTURES = Path(__file__).parents[1] / "fixtures"
FIXTURES = ALL_FIXTURES / "trl"
STEPS = range(1, 9)
SAMPLE = {"query": "2 + 2 =", "response": "4", "score": 1.0, "advantage": 0.5, "terminated": True}


def run_log(folder: Path) -> None:
    """One of our own run directories."""
    with RunLog(folder, algorithm="grpo", config={"beta": 0.1}) as log:
        for step in STEPS:
            metrics = {"reward": float(step), "loss": float("nan"), "kl": 0.1}
            log.log(step, metrics, [SAMPLE, SAMPLE], {"ratio": {"edges": [0, 1, 2], "counts": [3, 4], "nan": 1}})


def event_files(folder: Path) -> None:
    """One file read record by record and one read in stretches, with everything that a summary may contain."""
    draw = random.Random(0)
    values = [
        scalar("a", 1.0),
        tensor("b", 2.0),
        histogram("h", draw),
        field(1, field(1, b"t") + field(8, b"\x08\x07")),
    ]
    write(folder, [event(step, 1.7e9, value) for step in STEPS for value in values])
    (folder / "1700000001.0").mkdir()
    (folder / "1700000001.0" / "hparams.yml").write_text("learning_rate: 1.0e-05\nbeta: 0.1\nseed: 1\n")


def long_event_file(folder: Path) -> None:
    """An event file read in stretches and rounds."""
    write(folder, LAYOUTS["regular"](220))


def wandb(folder: Path) -> None:
    """A W&B log of a TRL run."""
    (found,) = (FIXTURES / "ppo112_nmb1" / "wandbdir" / "wandb").glob("offline-run-*")
    shutil.copytree(found, folder / found.name)


def wandb_typed(folder: Path) -> None:
    """A `.wandb` file with a histogram, a nested value and a table."""
    folder = folder / "offline-run-20260101_000000-abc"
    folder.mkdir(parents=True)
    rows: list[Mapping[str, Any]] = [
        {"_step": step, "h": {"_type": "histogram", "bins": [0, 1], "values": [3]}, "n": {"x": 1.5}} for step in STEPS
    ]
    rows.append({"_step": 8, "table": {"_type": "table-file", "path": "media/table/t_1_ab.table.json", "nrows": 1}})
    tables = folder / "files" / "media" / "table"
    tables.mkdir(parents=True)
    (tables / "t_1_ab.table.json").write_text(
        '{"columns": ["prompt", "completion", "reward"], "data": [["q", "a", 1.0]]}'
    )
    content = b":W&B" + struct.pack("<HB", 0xBEE1, 0)
    for row in rows:
        items = (field(1, field(2, key.encode()) + field(16, json.dumps(value).encode())) for key, value in row.items())
        record = field(2, b"".join(items))
        content += struct.pack("<IHB", zlib.crc32(b"\x01" + record), len(record), 1) + record
    (folder / "run-abc.wandb").write_bytes(content)


def wandb_export(folder: Path) -> None:
    """A run of the W&B cloud as stored by `rlvitals import`."""
    folder.mkdir(parents=True)
    _json_lines(folder / "history.jsonl", [{"_step": step, "_timestamp": 1.7e9, "loss": 1.0} for step in STEPS])
    _json_lines(folder / "system.jsonl", [{"_timestamp": 1.7e9, "system.cpu": 3.0}])
    manifest = {"schema_version": 1, "name": "n", "id": "abc", "state": "finished", "created": "2026-01-01T00:00:00Z"}
    summary = {"config": {"lr": {"value": 1}}, "summary": {"loss": 1.0}}
    (folder / "wandb-export.json").write_text(json.dumps(manifest | summary))


def wandb_csv(folder: Path) -> None:
    """A panel exported from the W&B page."""
    folder.mkdir(parents=True)
    header = "Step,run - loss,run - loss__MIN,run - loss__MAX,run - _step\n"
    (folder / "export.csv").write_text(header + "".join(f"{step},1.0,0.5,NaN,{step}\n" for step in STEPS))


def trackio(folder: Path) -> None:
    """trackio's database of a TRL run."""
    folder.mkdir(parents=True)
    shutil.copy(FIXTURES / "ppo112_nmb1" / "trackio" / "labppo.db", folder)


def mlflow(folder: Path) -> None:
    """A database with MLflow's tables."""
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "mlflow.db") as database:
        database.executescript(MLFLOW_TABLES)
        database.execute("INSERT INTO runs VALUES ('r', 'first', 'RUNNING', 1700000000000, NULL, 'active', 1)")
        database.execute("INSERT INTO params VALUES ('learning_rate', '1e-5', 'r')")
        for step in STEPS:
            database.execute("INSERT INTO metrics VALUES ('loss', 0.5, 1700000000000, 'r', ?, 0)", (step,))
    database.close()


def mlflow_files(folder: Path) -> None:
    """Runs of MLflow's file store."""
    shutil.copytree(ALL_FIXTURES / "mlflow" / "mlruns", folder)


def swanlab(folder: Path) -> None:
    """A SwanLab log."""
    shutil.copytree(ALL_FIXTURES / "swanlab" / "swanlog", folder)


def torchtune(folder: Path) -> None:
    """The log of torchtune's DiskLogger."""
    shutil.copytree(ALL_FIXTURES / "torchtune", folder)


def console(folder: Path) -> None:
    """The console output of TRL."""
    shutil.copytree(ALL_FIXTURES / "console", folder)


def verl_console(folder: Path) -> None:
    """The console output of verl: its settings, then a line for each step."""
    folder.mkdir(parents=True)
    settings = "{'actor_rollout_ref': {'rollout': {'n': 4}},\n 'trainer': {'total_epochs': 1}}\n"
    rows = (f"step:{step} - actor/pg_loss:np.float64(0.5) - critic/score/mean:0.25\n" for step in STEPS)
    (folder / "run.log").write_text(settings + "Training Progress:   0%|  | 0/9 [00:00<?, ?it/s]\n" + "".join(rows))


def progress(folder: Path) -> None:
    """What trainers of one's own print, among other lines."""
    folder.mkdir(parents=True)
    rows = {
        "epochs.log": (
            "Epoch:[{epoch}/2]({step}/4), Reward: -0.5, KL_ref: nan, Avg Len: 271.38\nof a debugger: x[1]\n"
        ),
        "bars.out": ("\x1b[32m[run]\x1b[0m {all}/8 | loss=-0.5 | reward=1e-3 | acc=87.5%\n"),
        "headings.log": ("=== Step {all}/8 ===\n  Loss: 0.5\n  Mean reward: nan\n"),
        "dicts.log": ("2026-01-01 00:00:00 - INFO - {{'step': {all}, 'rewards': [0, 1], 'kl': 0.1}}\n"),
        "blocks.log": ("| train/   |     |\n|   reward | 0.5 |\n|   loss   | nan |\n| iterations | {all} |\n------\n"),
        "objects.log": ('{{\n  "step": {all},\n  "reward": 0.5\n}}\n'),
        "chat.txt": ("epoch: 0|step: {all}|act_loss: 0.2|cri_loss: 0.1\naverage reward score: 0.5\n-----\n"),
    }
    for name, row in rows.items():
        lines = (row.format(epoch=1 + (step > 4), step=(step - 1) % 4 + 1, all=step) for step in STEPS)
        (folder / name).write_text("Loading\n" + "".join(lines))


def notebooks(folder: Path) -> None:
    """A notebook with a table of steps, a frame of pandas as text, rows of dictionaries, verl's rows and an error."""
    folder.mkdir(parents=True)
    table = training_table(
        ["Step", "Training Loss", "rewards / exact"], ([str(step), "0.500000", "nan"] for step in STEPS)
    )
    progress = "<progress value='8' max='8' style='width:300px'></progress> [8/8 00:01, Epoch 1/1]"
    frame = "   step  loss\n" + "".join(f"{step}     {step}   0.5\n" for step in STEPS)
    rows = "".join(f"{{'loss': '0.5', 'reward': '{step}', 'epoch': '0.{step}'}}\n" for step in STEPS)
    printed = "".join(f"step:{step} - actor/pg_loss:0.5 - critic/score/mean:0.25\n" for step in STEPS)
    error = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["\x1b[31mValueError\x1b[0m"]}
    html = {"text/html": [f"<div>{progress}</div>", table], "text/plain": "<IPython.core.display.HTML object>"}
    outputs: list[list[dict[str, Any]]] = [
        [{"output_type": "display_data", "data": html}],
        [{"output_type": "execute_result", "data": {"text/plain": frame}}],
        [{"output_type": "stream", "name": "stdout", "text": rows}, error],
        [{"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)}],
    ]
    (folder / "train.ipynb").write_text(json.dumps(notebook(outputs), indent=1))


def rl4lms(folder: Path) -> None:
    """The logs of RL4LMs."""
    folder.mkdir(parents=True)
    _json_lines(folder / "rollout_info.jsonl", [{"rollout_info/ep_rew": step / 4} for step in STEPS])
    _json_lines(folder / "training_info.jsonl", [{"ppo/approx_kl": 0.01} for _ in STEPS])
    _json_lines(folder / "val_split_metrics.jsonl", [{"epoch": 2, "metrics": {"lexical/meteor": 0.5}}])
    (folder / "config.json").write_text('{"alg": {"id": "ppo"}}')


def trackio_traces(folder: Path) -> None:
    """trackio's database with conversations and an alert."""
    trackio(folder)
    messages = json.dumps([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]).encode()
    with sqlite3.connect(folder / "labppo.db") as database:
        (run,) = database.execute("SELECT run_name FROM metrics LIMIT 1").fetchone()
        database.execute(
            "INSERT INTO traces (id, run_id, timestamp, run_name, step, key, messages, metadata, search_text) "
            "VALUES ('1', 'r', '', ?, 1, 'val/generations', ?, '{\"score\": 1.0}', '')",
            (run, messages),
        )
        database.execute(
            "INSERT INTO alerts (run_id, timestamp, run_name, title, text, step) VALUES ('r', '', ?, 't', 'x', 1)",
            (run,),
        )
    database.close()


def trajectories(folder: Path) -> None:
    """Episodes as prime-rl, rLLM and ART lay them out."""
    asked, answered = {"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}
    nodes = [{"parent": None, "message": asked, "sampled": False}, {"parent": 0, "message": answered, "sampled": True}]
    trace = {"nodes": nodes, "rewards": {"exact": {"score": 1.0, "weight": 1.0}}, "is_completed": True}
    prime = folder / "prime" / "rollouts" / "step_1" / "train" / "effective"
    rllm = folder / "rllm" / "episodes" / "train_step_1_epoch_0"
    art = folder / "art" / "trajectories" / "train"
    for made in (prime, rllm, art):
        made.mkdir(parents=True)
    _json_lines(prime / "traces.jsonl", [{"traces": [trace, trace]}] * 3)
    steps = [{"model_response": "a", "chat_completions": [asked, answered]}]
    episode = {"task": "q", "is_correct": True, "trajectories": [{"reward": 1.0, "steps": steps}]}
    (rllm / "episode_hash1a2b3c4d_id0_0.json").write_text(json.dumps(episode, indent=2))
    messages = "[{role: user, content: q}, {finish_reason: stop, message: {role: assistant, content: a}}]"
    (art / "0001.yaml").write_text(f"- trajectories:\n  - {{reward: 0.5, messages_and_choices: {messages}}}\n" * 2)


def samples_parquet(folder: Path) -> None:
    """Completions of all steps in one parquet file, written by pyarrow."""
    folder.mkdir(parents=True)
    rows = [{"step": step, "prompt": "q", "completion": "a", "reward": 0.5} for step in STEPS]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "rollouts.parquet")


def trainer_state(folder: Path) -> None:
    """What transformers saves with a checkpoint."""
    folder.mkdir(parents=True)
    shutil.copytree(FIXTURES / "ppo112_nmb1" / "out" / "checkpoint-8", folder / "checkpoint-8")


def log_history(folder: Path) -> None:
    """The history of a Trainer that a script saved, and one in a state of its own."""
    folder.mkdir(parents=True)
    rows = [{"loss": 0.5, "reward": step / 8, "epoch": step / 8, "step": step} for step in STEPS]
    summary = {"train_runtime": 3.0, "train_loss": 0.5, "epoch": 1.0, "step": 8}
    (folder / "step_logs.json").write_text(json.dumps([*rows, {"eval_reward": 0.5, "step": 8}, summary], indent=2))
    (folder / "state.json").write_text(json.dumps({"global_step": 8, "log_history": rows, "max_steps": 8}))
    columns = {"rewards": [step / 12 for step in range(12)], "losses": [0.5] * 12}
    (folder / "history.json").write_text(json.dumps({"config": {"lr": 1e-5}, "metrics": columns}))


def completions(folder: Path) -> None:
    """TRL's completions, one parquet file per step, and one JSON-lines file per step."""
    shutil.copytree(FIXTURES / "grpo116" / "out" / "completions", folder / "completions")
    (folder / "dump").mkdir()
    _json_lines(folder / "dump" / "1.jsonl", [{"input": "q", "output": "a", "score": 1.0, "step": 1}] * 3)


def samples(folder: Path) -> None:
    """Rows of completions, each with its step."""
    folder.mkdir(parents=True)
    rows = [{"step": step, "prompt": ["q"] * 2, "completion": ["a", "b"], "reward": [0.0, 1.0]} for step in STEPS]
    _json_lines(folder / "completions.jsonl", rows)


def tables(folder: Path) -> None:
    """Metrics as JSON lines and CSV."""
    (folder / "a").mkdir(parents=True)
    (folder / "b").mkdir()
    nested = [{"step": step, "data": {"actor/kl": 0.1, "critic/score/mean": float("inf")}} for step in STEPS]
    _json_lines(folder / "a" / "metrics.jsonl", nested)
    (folder / "b" / "log.csv").write_text("step,loss\n" + "".join(f"{step},{1 / step}\n" for step in STEPS))
    (folder / "c").mkdir()
    (folder / "c" / "frame.csv").write_text(",Step,reward\n" + "".join(f"{step},{step},0.5\n" for step in STEPS))
    (folder / "c" / "counted.tsv").write_text("reward\tkl\n" + "0.5\t0.1\n" * 12)


def _json_lines(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


SEEDS: dict[str, tuple[Callable[[Path], None], ...]] = {
    "rlvitals": (run_log,),
    "wandb-export": (wandb_export,),
    "tensorboard": (event_files, long_event_file),
    "wandb": (wandb, wandb_typed),
    "trackio": (trackio, trackio_traces),
    "mlflow": (mlflow,),
    "mlflow-files": (mlflow_files,),
    "swanlab": (swanlab,),
    "torchtune": (torchtune,),
    "console": (console, verl_console),
    "progress": (progress,),
    "notebook": (notebooks,),
    "rl4lms": (rl4lms,),
    "trainer-state": (trainer_state,),
    "log-history": (log_history,),
    "completions": (completions,),
    "samples": (samples,),
    "samples-parquet": (samples_parquet,),
    "trajectories": (trajectories,),
    "wandb-csv": (wandb_csv,),
    "table": (tables,),
}
"""By the name of the format."""
