class Client:
    async def create_session(self, *, cages=None):
        payload["cages"] = cages

    async def list_zoos(self):
        payload["filter"] = {}
        await self._client.request("zoo.list", payload)

    async def resume_session(self, *, keepers=None):
        payload["keepers"] = keepers
        self._client.set_request_handler("keeper.sing", self._sing)
