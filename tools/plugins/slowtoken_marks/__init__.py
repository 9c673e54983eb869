"""Tells slowtoken what vLLM and SGLang do for which request. The engines call vllm_marks.register, sglang_marks.register."""
