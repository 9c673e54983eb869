"""What libslowtoken.so's C API looks like to the plug-in, keeping what is said."""


class FakeLibrary:
    def __init__(self):
        self.said, self.starts, self._handles = [], 0, 0
        self.broken = False

    def _say(self, kind, text):
        if self.broken:
            raise OSError("the library is broken")
        self.said.append((kind, text.decode() if isinstance(text, bytes) else text))

    def slowtoken_api_start(self):
        self.starts += 1

    def slowtoken_api_llmserve_mark(self, text):
        self._say("mark", text)

    def slowtoken_api_llmserve_push(self, text):
        self._say("push", text)

    def slowtoken_api_llmserve_pop(self):
        self._say("pop", "")

    def slowtoken_api_llmserve_start(self, text):
        self._handles += 1
        self._say("start", text)
        return self._handles

    def slowtoken_api_llmserve_end(self, handle):
        self._say("end", str(handle))

    def texts(self, beginning):
        return [text for _, text in self.said if text.startswith(beginning)]
