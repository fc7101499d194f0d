#[serde(rename_all = "camelCase")]
pub(crate) struct SessionCreateWire {
    pub cages:
        Option<HashMap<String, Cage>>,
    pub opened: Option<crate::generated::api_types::Cage>,
}

#[serde(rename_all = "camelCase")]
pub(crate) struct SessionResumeWire {
    pub keepers: Vec<String>,
}

#[serde(rename_all = "camelCase")]
pub struct Cage {
    pub by_hand: bool,
}

const CLOSE_METHOD: &str = "zoo.closeGate";

fn dispatch(method: &str) {
    client.call("zoo.getMap", None);
    match method {
        "keeper.sing" => sing(),
    }
}
