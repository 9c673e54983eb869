#!/usr/bin/env python3
"""The plug-in for vLLM and SGLang against stand-ins of the interfaces it uses (stand_ins/).

usage: marks_test.py PLUGINS_DIR
"""
import asyncio
import os
import pathlib
import subprocess
import sys
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PLUGINS = sys.argv.pop(1) if len(sys.argv) > 1 else str(HERE.parent.parent / "tools" / "plugins")
sys.path[:0] = [PLUGINS, str(HERE / "stand_ins"), str(HERE)]
sys.dont_write_bytecode = True

from fake_library import FakeLibrary  # noqa: E402
from slowtoken_marks import batch, sglang_marks, vllm_marks, voice  # noqa: E402


def fresh(prefix):
    for name in [name for name in sys.modules if name == prefix or name.startswith(prefix + ".")]:
        del sys.modules[name]


class Marked(unittest.TestCase):
    """Each test has its own engine modules and its own library."""

    def setUp(self):
        self.library = FakeLibrary()
        self._open = voice.open_voice
        voice.open_voice = lambda: voice.Voice(self.library)
        fresh("vllm")
        fresh("sglang")
        vllm_marks._ids_have_a_random_part.cache_clear()

    def tearDown(self):
        voice.open_voice = self._open

    def said(self, beginning=""):
        return self.library.texts(beginning)


class Vllm(Marked):
    def serve(self, requests, rank=0, preempt_at=None):
        """Registers, then imports the engine, as vLLM does; runs until all requests are done."""
        vllm_marks.register()
        from vllm.v1 import engine  # noqa: F401
        from vllm.v1.core.sched.scheduler import Request, Scheduler
        from vllm.v1.worker.gpu_worker import Worker
        scheduler, worker = Scheduler(rank), Worker()
        for request_id, prompt, output in requests:
            scheduler.add_request(Request(request_id + "-0123abcd", prompt, output))
        steps = 0
        while scheduler.requests:
            steps += 1
            if preempt_at == steps:
                scheduler._preempt_request(scheduler.running[-1], 0.0)
            output = scheduler.schedule()
            self.assertEqual(worker.execute_model(output), "hidden states")
            self.assertEqual(worker.sample_tokens(None), "tokens")
            scheduler.update_from_output(output, None)
        return steps

    def test_a_requests_life(self):
        self.assertEqual(self.serve([("a", 50, 3)]), 3)
        self.assertEqual(self.said("req."), [
            "req.queued|req=a", "req.scheduled|req=a,iter=1,cached_tok=0", "req.token|req=a,n=1,n_new=1,iter=1",
            "req.token|req=a,n=2,n_new=1,iter=2", "req.token|req=a,n=3,n_new=1,iter=3",
            "req.finish|req=a,reason=length"])
        self.assertEqual(self.said("batch"), ["batch|iter=1,seq=1,set=a:50:p"])
        kinds = [(kind, text.split("|")[0]) for kind, text in self.library.said if kind in ("push", "pop")]
        self.assertEqual(kinds, [("push", "iter.schedule"), ("pop", ""), ("push", "iter"), ("pop", ""),
                                 ("push", "iter.sample"), ("pop", "")] * 3)
        self.assertEqual(self.said("iter|"), [f"iter|iter={i},waiting=0" for i in (1, 2, 3)])

    def test_chunks_joins_and_leaves(self):
        self.serve([("a", 150, 3), ("b", 30, 1)])
        self.assertEqual(self.said("batch"), [
            "batch|iter=1,seq=1,set=a:100:c",
            "batch|iter=2,seq=2,join=b:30:p", "batch|iter=2,seq=3,change=a:50:p",
            "batch|iter=3,seq=4,leave=b"])
        self.assertEqual(self.said("iter|")[0], "iter|iter=1,waiting=1")

    def test_preempted_and_resumed(self):
        self.serve([("a", 20, 5), ("b", 20, 5)], preempt_at=3)
        self.assertEqual(self.said("req.preempted"), ["req.preempted|req=b,iter=3"])
        self.assertEqual(self.said("req.resumed"), ["req.resumed|req=b,iter=3"])
        self.assertIn("change=b:22:r", "".join(self.said("batch")))

    def test_data_parallel_ranks_are_told_apart(self):
        self.serve([("a", 5, 1)], rank=2)
        for text in self.said("iter") + self.said("batch"):
            self.assertIn(",dp_rank=2", text)

    def test_ids_of_older_versions_stay_whole(self):
        vllm_marks.register()
        from vllm.v1 import engine
        del engine.EngineCoreRequest.__annotations__["external_req_id"]
        self.assertEqual(vllm_marks.engine_request("a-0123abcd"), "a-0123abcd")

    def test_ids_cannot_break_the_text(self):
        self.assertEqual(voice.request_text("a|b,c;d:e=f g"), "a_b_c_d_e_f_g")

    def frontend(self, kind, stop_after=None):
        vllm_marks.register()
        from vllm.v1.engine.async_llm import AsyncLLM
        llm = AsyncLLM(lambda prompt, request: [1, 2, 3])

        async def consume():
            got = []
            items = llm.generate("hello", kind, "a")
            async for item in items:
                got.append(item.outputs[0].token_ids)
                if len(got) == stop_after:
                    await items.aclose()
                    break
            return got

        return llm, asyncio.run(consume())

    def test_the_frontend_says_arrival_and_sends(self):
        for kind in ("DELTA", "CUMULATIVE"):
            self.setUp()
            _, got = self.frontend(kind)
            self.assertEqual(got, [[1], [2], [3]] if kind == "DELTA" else [[1], [1, 2], [1, 2, 3]])
            self.assertEqual(self.library.said, [
                ("start", "req|req=a"), ("start", "req.send|req=a,n=1,n_new=1"), ("end", "2"),
                ("start", "req.send|req=a,n=2,n_new=1"), ("end", "3"), ("start", "req.send|req=a,n=3,n_new=1"),
                ("end", "4"), ("end", "1")])

    def test_a_client_that_goes_is_heard_by_the_engine(self):
        llm, got = self.frontend("DELTA", stop_after=2)
        self.assertEqual(llm.aborted, ["a"])
        self.assertEqual(self.library.said[-1], ("end", "1"))

    def test_a_broken_library_is_nobodys_problem(self):
        self.library.broken = True
        with self.assertLogs("slowtoken", "WARNING") as log:
            self.assertEqual(self.serve([("a", 150, 20), ("b", 30, 10)]), 21)
        self.assertEqual(len(log.output), 2, "the first, and that it is silent now")

    def test_methods_that_are_not_there_are_left_alone(self):
        vllm_marks.VllmMarks(voice.Voice(self.library)).change_scheduler(types.SimpleNamespace())
        owner = type("Scheduler", (), {})
        vllm_marks.VllmMarks(voice.Voice(self.library)).change_scheduler(types.SimpleNamespace(Scheduler=owner))
        self.assertFalse(hasattr(owner, "schedule"))

    def test_an_output_of_another_shape_does_not_stop_the_engine(self):
        vllm_marks.register()
        from vllm.v1.core.sched.scheduler import Scheduler
        scheduler = Scheduler()
        scheduler.schedule.__func__.__wrapped__  # it was changed
        with self.assertLogs("slowtoken", "WARNING"):
            Scheduler.update_from_output(scheduler, types.SimpleNamespace(num_scheduled_tokens={}), None)
            voice_output = {0: types.SimpleNamespace(outputs=[object()])}
            marks = vllm_marks.VllmMarks(voice.Voice(self.library))
            marks._guard.call(marks._updated, scheduler, (None,), {}, voice_output)


class Batches(unittest.TestCase):
    def setUp(self):
        self.library = FakeLibrary()
        self.writer = batch.BatchWriter(voice.Voice(self.library))

    def test_many_rows_come_in_pieces(self):
        self.writer.write(1, [(f"r{i}", (1, "d")) for i in range(1000)])
        marks = self.library.texts("batch")
        self.assertEqual([text.split(",")[2].split("=")[0] for text in marks], ["set", "join", "join"])
        self.assertEqual([text.split(",")[1] for text in marks], ["seq=1", "seq=2", "seq=3"])
        self.assertTrue(all(len(text) < 32000 for text in marks))

    def test_nothing_is_said_where_nothing_changes(self):
        for iteration in (1, 2, 3):
            self.writer.write(iteration, [("a", (1, "d"))])
        self.assertEqual(len(self.library.said), 1)

    def test_everything_again_after_a_while(self):
        self.writer.write(1, [("a", (1, "d"))])
        self.writer._whole_at -= 10
        self.writer.write(2, [("a", (1, "d"))])
        self.assertEqual(self.library.texts("batch")[1], "batch|iter=2,seq=2,set=a:1:d")


class Sglang(Marked):
    def engine(self):
        sglang_marks.register()
        from sglang.srt.plugins.hook_registry import HookRegistry
        HookRegistry.apply_hooks()
        from sglang.srt.managers import scheduler
        return scheduler

    def test_iterations_with_overlap(self):
        module = self.engine()
        scheduler = module.Scheduler()
        request = module.Req("a", 40, 2)
        scheduler._add_request_to_queue(request)
        batches = [types.SimpleNamespace(reqs=[request], forward_mode=module.ForwardMode(mode))
                   for mode in ("extend", "decode", "decode")]
        waiting = None
        for one in batches:
            scheduler.run_batch(one)
            if waiting is not None:
                scheduler.process_batch_result(waiting, "result")
            waiting = one
        scheduler.process_batch_result(waiting, "result")
        self.assertEqual(self.said("req."), [
            "req.queued|req=a", "req.token|req=a,n=1,n_new=1,iter=1", "req.token|req=a,n=2,n_new=1,iter=2",
            "req.finish|req=a,reason=length"])
        self.assertEqual(self.said("iter|"), [f"iter|iter={i},waiting=1" for i in (1, 2, 3)])
        self.assertEqual(self.said("batch"), ["batch|iter=1,seq=1,set=a:40:p"])

    def test_idle_batches_are_none(self):
        module = self.engine()
        idle = types.SimpleNamespace(reqs=[], forward_mode=module.ForwardMode("idle"))
        scheduler = module.Scheduler()
        self.assertEqual(scheduler.run_batch(idle), "result")
        scheduler.process_batch_result(idle, "result")
        self.assertEqual(self.library.said, [])

    def test_chunks(self):
        module = self.engine()
        scheduler, request = module.Scheduler(), module.Req("a", 100, 1)
        request.is_chunked, request.extend_input_len = 1, 60
        scheduler.run_batch(types.SimpleNamespace(reqs=[request], forward_mode=module.ForwardMode("extend")))
        request.is_chunked, request.extend_input_len = 0, 40
        scheduler.run_batch(types.SimpleNamespace(reqs=[request], forward_mode=module.ForwardMode("extend")))
        self.assertEqual(self.said("batch"), ["batch|iter=1,seq=1,set=a:60:c", "batch|iter=2,seq=2,change=a:40:p"])

    def test_the_frontend_gives_an_id_where_the_client_gave_none(self):
        self.engine()
        from sglang.srt.managers.tokenizer_manager import TokenizerManager
        manager = TokenizerManager(2)
        obj = types.SimpleNamespace(rid=None, text="hello", input_ids=None)

        async def consume():
            return [item["meta_info"]["id"] async for item in manager.generate_request(obj)]

        ids = asyncio.run(consume())
        self.assertEqual(self.said("req|"), [f"req|req={ids[0]}"])
        self.assertEqual(self.said("req.send"), [f"req.send|req={ids[0]},n={n},n_new=1" for n in (1, 2)])

    def test_a_list_of_prompts_is_left_alone(self):
        self.engine()
        from sglang.srt.managers.tokenizer_manager import TokenizerManager
        obj = types.SimpleNamespace(rid=None, text=["one", "two"], input_ids=None)

        async def consume():
            return [item async for item in TokenizerManager(1).generate_request(obj)]

        self.assertEqual(len(asyncio.run(consume())), 1)
        self.assertIsNone(obj.rid)
        self.assertEqual(self.library.said, [])


class WithoutSlowtoken(unittest.TestCase):
    def run_python(self, code, **environment):
        clean = {k: v for k, v in os.environ.items() if not k.endswith("INJECTION64_PATH")}
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**clean, "PYTHONPATH": os.pathsep.join(sys.path[:3]), **environment})

    def test_nothing_is_changed(self):
        done = self.run_python("from slowtoken_marks import vllm_marks, sglang_marks, late_import\n"
                               "import sys\n"
                               "vllm_marks.register(); sglang_marks.register()\n"
                               "assert late_import._finder not in sys.meta_path\n"
                               "assert not any(n.split('.')[0] in ('vllm', 'sglang') for n in sys.modules)\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_another_tools_library_is_not_ours(self):
        done = self.run_python("from slowtoken_marks import voice; assert voice.open_voice() is None",
                               NVTX_INJECTION64_PATH="/opt/other/libToolsInjection64.so")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_library_that_cannot_be_loaded_is_said_once(self):
        done = self.run_python("from slowtoken_marks import vllm_marks; vllm_marks.register()",
                               NVTX_INJECTION64_PATH="/nowhere/libslowtoken.so")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("slowtoken-marks says nothing"), 1)


class EntryPoints(unittest.TestCase):
    def test_the_engines_find_it_on_the_path(self):
        from importlib.metadata import distribution
        points = {point.group: point for point in distribution("slowtoken-marks").entry_points}
        self.assertEqual({point.name for point in points.values()}, {"slowtoken"})
        self.assertIs(points["vllm.general_plugins"].load(), vllm_marks.register)
        self.assertIs(points["sglang.srt.plugins"].load(), sglang_marks.register)


class Forks(unittest.TestCase):
    def test_a_child_starts_its_own_recording(self):
        library = FakeLibrary()
        spoken = voice.Voice(library)
        spoken.mark("gc|name=x")
        spoken.mark("gc|name=x")
        self.assertEqual(library.starts, 1)
        spoken._pid = -1
        spoken.mark("gc|name=x")
        self.assertEqual(library.starts, 2)


if __name__ == "__main__":
    unittest.main()
