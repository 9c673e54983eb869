"""Stand-in for vLLM's worker."""


class Worker:
    def execute_model(self, scheduler_output):
        return "hidden states"

    def sample_tokens(self, grammar_output):
        return "tokens"
