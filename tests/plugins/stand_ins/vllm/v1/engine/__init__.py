"""Stand-in: what the plug-in looks at of vLLM's core requests."""


class EngineCoreRequest:
    request_id: str
    external_req_id: str
