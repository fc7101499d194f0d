impl ZooRpc {
    pub async fn open(&self) {
        self.call(rpc_methods::ZOO_OPEN, None).await;
        self.call(
            rpc_methods::ZOO_ANIMALS_FEEDSLOWLY,
            None,
        )
        .await;
    }
}
