"""Stand-in for vLLM's frontend: `generate` yields what the core computes, and aborts where the client goes."""
import types


class AsyncLLM:
    def __init__(self, core):
        self.core = core
        self.aborted = []

    async def generate(self, prompt, sampling_params, request_id, **kwargs):
        tokens = []
        try:
            for token in self.core(prompt, request_id):
                tokens.append(token)
                shown = [token] if sampling_params == "DELTA" else list(tokens)
                kind = types.SimpleNamespace(name=sampling_params)
                yield types.SimpleNamespace(outputs=[types.SimpleNamespace(token_ids=shown)],
                                            sampling_params=types.SimpleNamespace(output_kind=kind))
        except GeneratorExit:
            self.aborted.append(request_id)
            raise
