#!/usr/bin/env python3
"""A server made of vLLM's stand-ins, with the plug-in as vLLM would load it: REQUESTS requests of TOKENS tokens each.

usage: serve.py REQUESTS TOKENS     PYTHONPATH must lead to tools/plugins and stand_ins
"""
import asyncio
import sys
import time

from slowtoken_marks import vllm_marks

vllm_marks.register()
vllm_marks._ids_have_a_random_part = lambda: False

from vllm.v1.core.sched.scheduler import Request, Scheduler  # noqa: E402
from vllm.v1.engine.async_llm import AsyncLLM  # noqa: E402
from vllm.v1.worker.gpu_worker import Worker  # noqa: E402


def main():
    count, tokens = int(sys.argv[1]), int(sys.argv[2])
    scheduler, worker = Scheduler(), Worker()

    def core(prompt, request_id):
        scheduler.add_request(Request(request_id, len(prompt), tokens))
        while request_id in scheduler.requests:
            output = scheduler.schedule()
            worker.execute_model(output)
            time.sleep(0.002)
            worker.sample_tokens(None)
            for outputs in scheduler.update_from_output(output, None).values():
                yield from (one.new_token_ids[0] for one in outputs.outputs)

    async def serve():
        llm = AsyncLLM(core)
        for i in range(count):
            async for _ in llm.generate("x" * 150, "DELTA", f"request-{i}"):
                pass

    asyncio.run(serve())


if __name__ == "__main__":
    main()
