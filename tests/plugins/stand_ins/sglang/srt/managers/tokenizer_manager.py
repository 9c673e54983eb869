"""Stand-in for SGLang's frontend."""


class TokenizerManager:
    def __init__(self, tokens):
        self.tokens = tokens

    async def generate_request(self, obj, request=None):
        for count in range(1, self.tokens + 1):
            yield {"text": "x" * count, "meta_info": {"id": obj.rid, "completion_tokens": count}}
