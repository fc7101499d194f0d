//! The story of story.md, as a user of the SDK for Rust writes it.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use github_copilot_sdk::handler::{
    ApproveAllHandler, PermissionHandler, PermissionResult, UserInputHandler, UserInputResponse,
};
use github_copilot_sdk::hooks::{
    HookContext, PostToolUseInput, PostToolUseOutput, PreToolUseInput, PreToolUseOutput,
    SessionHooks,
};
use github_copilot_sdk::session::Session;
use github_copilot_sdk::session_events::{AssistantMessageData, AssistantMessageDeltaData};
use github_copilot_sdk::subscription::EventSubscription;
use github_copilot_sdk::tool::define_tool;
use github_copilot_sdk::types::{
    McpServerConfig, McpStdioServerConfig, PermissionRequestData, PermissionRequestKind,
};
use github_copilot_sdk::{
    Client, ClientOptions, ProviderConfig, RequestId, ResumeSessionConfig, SessionConfig,
    SessionEvent, SessionId, ToolResult, Transport,
};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome {
    let mut story = Story {
        client: connect().await?,
        dir: variable("STORY_DIR")?.into(),
    };
    let steps = variable("STORY_STEPS")?;
    tokio::time::timeout(Duration::from_secs(60), async {
        for step in steps.split(',') {
            story.tell(step).await.map_err(|e| format!("{step}: {e}"))?;
            println!("ok {step}");
        }
        Outcome::Ok(())
    })
    .await??;
    story.client.stop().await?;
    println!("done");
    Ok(())
}

fn variable(name: &str) -> Outcome<String> {
    env::var(name).map_err(|e| format!("{name}: {e}").into())
}

fn over_tcp() -> Outcome<bool> {
    Ok(variable("STORY_TRANSPORT")? == "tcp")
}

/// A new client that has started.
async fn connect() -> Outcome<Client> {
    let transport = match variable("STORY_TRANSPORT")?.as_str() {
        "stdio" => Transport::Stdio,
        "inprocess" => Transport::InProcess,
        "tcp" => {
            let address = variable("STORY_ADDR")?;
            let (host, port) = address.rsplit_once(':').ok_or("STORY_ADDR has no port")?;
            Transport::External {
                host: host.to_string(),
                port: port.parse()?,
                connection_token: Some(variable("STORY_TOKEN")?),
            }
        }
        other => return Err(format!("there is no transport {other}").into()),
    };
    Ok(Client::start(ClientOptions::new().with_transport(transport)).await?)
}

fn model() -> Outcome<ProviderConfig> {
    Ok(ProviderConfig::new(variable("STORY_MODEL_URL")?)
        .with_provider_type("openai")
        .with_api_key("story-key"))
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, got: T, want: T) -> Outcome {
    if got != want {
        return Err(format!("{what}: {got:?}, want {want:?}").into());
    }
    Ok(())
}

/// Sends a prompt and compares the answer.
async fn ask(session: &Session, prompt: &str, want: &str) -> Outcome {
    let answer = session.send_and_wait(prompt).await?;
    let answer = answer.ok_or_else(|| format!("{prompt} has no answer"))?;
    equal(prompt, content(&answer).as_str(), want)
}

fn content(event: &SessionEvent) -> String {
    event
        .typed_data::<AssistantMessageData>()
        .map(|data| data.content)
        .unwrap_or_default()
}

/// The next event of a type.
async fn next(events: &mut EventSubscription, kind: &str) -> Outcome<SessionEvent> {
    loop {
        let event = events.recv().await?;
        if event.event_type == kind {
            return Ok(event);
        }
    }
}

/// The client serves the steps.
struct Story {
    client: Client,
    dir: PathBuf,
}

#[derive(Deserialize, JsonSchema)]
struct Weather {
    /// Name of the city.
    city: String,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Count {
    n: i64,
}

impl Story {
    async fn tell(&mut self, step: &str) -> Outcome {
        match step {
            "tool" => self.tool().await,
            "streaming" => self.streaming().await,
            "permission" => self.permission().await,
            "ask" => self.ask().await,
            "hooks" => self.hooks().await,
            "provider" => self.provider().await,
            "mcp" => self.mcp().await,
            "structured" => self.structured().await,
            "abort" => self.abort().await,
            "join" => self.join().await,
            "list" => self.list().await,
            "restart" => self.restart().await,
            _ => Err("there is no such step".into()),
        }
    }

    fn config(&self) -> Outcome<SessionConfig> {
        Ok(SessionConfig::default()
            .with_model("test-model")
            .with_provider(model()?)
            .with_working_directory(&self.dir)
            .with_permission_handler(Arc::new(ApproveAllHandler)))
    }

    async fn resume(&self, client: &Client, id: &SessionId) -> Outcome<Session> {
        let config = ResumeSessionConfig::new(id.clone())
            .with_model("test-model")
            .with_provider(model()?)
            .with_working_directory(&self.dir)
            .with_permission_handler(Arc::new(ApproveAllHandler));
        Ok(client.resume_session(config).await?)
    }

    async fn tool(&self) -> Outcome {
        let called = Arc::new(AtomicUsize::new(0));
        let counter = called.clone();
        let weather = define_tool(
            "get_weather",
            "Tells the weather in a city.",
            move |_, arguments: Weather| {
                counter.fetch_add(1, Ordering::SeqCst);
                async move { Ok(ToolResult::Text(format!("7 degrees in {}", arguments.city))) }
            },
        );
        let config = self.config()?.with_tools([weather]);
        let session = self.client.create_session(config).await?;
        let prompt = "tool: what is the weather in Oslo?";
        ask(&session, prompt, "It is 7 degrees in Oslo.").await?;
        equal("calls of the tool", called.load(Ordering::SeqCst), 1)?;
        Ok(session.disconnect().await?)
    }

    async fn streaming(&self) -> Outcome {
        let want = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20.";
        let config = self.config()?.with_streaming(true);
        let session = self.client.create_session(config).await?;
        let mut events = session.subscribe();
        ask(&session, "streaming: count to twenty.", want).await?;
        let mut pieces = Vec::new();
        loop {
            let event = events.recv().await?;
            match event.event_type.as_str() {
                "assistant.message_delta" => {
                    let data = event.typed_data::<AssistantMessageDeltaData>();
                    pieces.push(data.ok_or("a piece without data")?.delta_content);
                }
                "assistant.message" => break,
                _ => {}
            }
        }
        equal("pieces of the answer", pieces.concat().as_str(), want)?;
        if pieces.len() < 2 {
            return Err("the answer came in one piece".into());
        }
        Ok(session.disconnect().await?)
    }

    async fn permission(&self) -> Outcome {
        let guard = Arc::new(Guard::default());
        let config = self.config()?.with_permission_handler(guard.clone());
        let session = self.client.create_session(config).await?;
        // A rejection ends the turn, without a further answer.
        session
            .send_and_wait("permission: make the first file.")
            .await?;
        ask(
            &session,
            "permission: make the second file.",
            "One file is there.",
        )
        .await?;
        let asked = guard.asked.lock().unwrap().clone();
        let want = ["touch denied.txt", "touch allowed.txt"];
        equal("commands", asked, want.map(String::from).to_vec())?;
        equal(
            "allowed.txt exists",
            self.dir.join("allowed.txt").exists(),
            true,
        )?;
        equal(
            "denied.txt exists",
            self.dir.join("denied.txt").exists(),
            false,
        )?;
        Ok(session.disconnect().await?)
    }

    async fn ask(&self) -> Outcome {
        let person = Arc::new(Person::default());
        let config = self.config()?.with_user_input_handler(person.clone());
        let session = self.client.create_session(config).await?;
        ask(&session, "ask: which colour?", "You chose blue.").await?;
        let asked = person.asked.lock().unwrap().clone();
        let choices = vec!["red".to_string(), "blue".to_string()];
        let want = ("Which colour?".to_string(), Some(choices));
        equal("questions", asked, vec![want])?;
        Ok(session.disconnect().await?)
    }

    async fn hooks(&self) -> Outcome {
        let opened = Arc::new(AtomicUsize::new(0));
        let counter = opened.clone();
        let open = define_tool("open_door", "Opens the door.", move |_, _: Nothing| {
            counter.fetch_add(1, Ordering::SeqCst);
            async { Ok(ToolResult::Text("the door is open".into())) }
        });
        let ring = define_tool("ring_bell", "Rings the bell.", |_, _: Nothing| async {
            Ok(ToolResult::Text("the bell rang".into()))
        });
        let porter = Arc::new(Porter::default());
        let config = self.config()?.with_tools([open, ring]);
        let config = config.with_hooks(porter.clone());
        let session = self.client.create_session(config).await?;
        let answer = "The bell rang, and the door stayed shut.";
        ask(&session, "hooks: use both tools.", answer).await?;
        equal("times the door opened", opened.load(Ordering::SeqCst), 0)?;
        let results = porter.results.lock().unwrap().clone();
        if results.len() != 1 || !results[0].contains("the bell rang") {
            return Err(format!("the hook got the results {results:?}").into());
        }
        Ok(session.disconnect().await?)
    }

    async fn provider(&self) -> Outcome {
        let session = self.client.create_session(self.config()?).await?;
        ask(&session, "provider: is my key right?", "Your key is right.").await?;
        Ok(session.disconnect().await?)
    }

    async fn mcp(&self) -> Outcome {
        let mut command: Vec<String> = serde_json::from_str(&variable("STORY_MCP")?)?;
        let counter = McpServerConfig::Stdio(McpStdioServerConfig {
            args: command.split_off(1),
            command: command.remove(0),
            tools: Some(vec!["*".into()]),
            ..Default::default()
        });
        let servers = IndexMap::from([("counter".to_string(), counter)]);
        let config = self.config()?.with_mcp_servers(servers);
        let session = self.client.create_session(config).await?;
        ask(&session, "mcp: count to two.", "The server counted.").await?;
        Ok(session.disconnect().await?)
    }

    async fn structured(&self) -> Outcome {
        let session = self.client.create_session(self.config()?).await?;
        let answer: Count = session.send_and_wait_typed("structured: how many?").await?;
        equal("answer", answer.n, 42)?;
        Ok(session.disconnect().await?)
    }

    async fn abort(&self) -> Outcome {
        let config = self.config()?.with_streaming(true);
        let session = self.client.create_session(config).await?;
        let mut events = session.subscribe();
        session.send("abort: think for an hour.").await?;
        next(&mut events, "assistant.message_delta").await?;
        session.abort().await?;
        next(&mut events, "session.idle").await?;
        ask(&session, "abort: are you there?", "I am here.").await?;
        Ok(session.disconnect().await?)
    }

    async fn join(&mut self) -> Outcome {
        let (hello, goodbye) = ("join: say hello.", "join: say goodbye.");
        let answers = ["Hello to both.", "Goodbye to both."];
        let first = self.client.create_session(self.config()?).await?;
        if !over_tcp()? {
            ask(&first, hello, answers[0]).await?;
            first.disconnect().await?;
            return self.go_on(first.id(), goodbye, answers[1]).await;
        }
        let client = connect().await?;
        let second = self.resume(&client, first.id()).await?;
        let mut listeners = [first.subscribe(), second.subscribe()];
        let mut turns = second.subscribe();
        ask(&first, hello, answers[0]).await?;
        next(&mut turns, "session.idle").await?; // it may come later than to the first
        ask(&second, goodbye, answers[1]).await?;
        for events in &mut listeners {
            for want in answers {
                let answer = next(events, "assistant.message").await?;
                equal("heard", content(&answer).as_str(), want)?;
            }
        }
        client.stop().await?;
        Ok(first.disconnect().await?)
    }

    /// Stops the client and goes on with a session of it in a new one.
    async fn go_on(&mut self, id: &SessionId, prompt: &str, want: &str) -> Outcome {
        self.client.stop().await?;
        self.client = connect().await?;
        let session = self.resume(&self.client, id).await?;
        ask(&session, prompt, want).await?;
        Ok(session.disconnect().await?)
    }

    async fn list(&self) -> Outcome {
        let (prompt, answer) = ("list: remember the milk.", "I remember the milk.");
        let session = self.client.create_session(self.config()?).await?;
        ask(&session, prompt, answer).await?;
        equal("listed", self.lists(session.id()).await?, true)?;
        let said: Vec<(String, String)> = session
            .get_events()
            .await?
            .into_iter()
            .filter(|e| e.event_type == "user.message" || e.event_type == "assistant.message")
            .map(|e| {
                let content = e.data["content"].as_str().unwrap_or_default().to_string();
                (e.event_type, content)
            })
            .collect();
        let want = [("user.message", prompt), ("assistant.message", answer)];
        let want = want.map(|(kind, content)| (kind.to_string(), content.to_string()));
        equal("messages", said, want.to_vec())?;
        session.disconnect().await?;
        self.client.delete_session(session.id()).await?;
        equal("listed", self.lists(session.id()).await?, false)
    }

    async fn lists(&self, id: &SessionId) -> Outcome<bool> {
        let sessions = self.client.list_sessions(None).await?;
        Ok(sessions.iter().any(|listed| listed.session_id == *id))
    }

    async fn restart(&mut self) -> Outcome {
        let (name, question) = ("restart: my name is Ann.", "restart: what is my name?");
        let session = self.client.create_session(self.config()?).await?;
        ask(&session, name, "Hello, Ann.").await?;
        if !over_tcp()? {
            return self.go_on(session.id(), question, "You are Ann.").await;
        }
        println!("restart?");
        let mut line = String::new();
        std::io::stdin().read_line(&mut line)?;
        equal("the answer to restart?", line.as_str(), "restarted\n")?;
        self.client.force_stop(); // its connection is broken
        self.client = connect().await?;
        let session = self.resume(&self.client, session.id()).await?;
        ask(&session, question, "You are Ann.").await?;
        Ok(session.disconnect().await?)
    }
}

/// Denies commands with denied.txt.
#[derive(Default)]
struct Guard {
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl PermissionHandler for Guard {
    async fn handle(
        &self,
        _session: SessionId,
        _request: RequestId,
        data: PermissionRequestData,
    ) -> PermissionResult {
        if data.kind != Some(PermissionRequestKind::Shell) {
            return PermissionResult::user_not_available();
        }
        let command = &data.extra["permissionRequest"]["fullCommandText"];
        let command = command.as_str().unwrap_or_default().to_string();
        let denied = command.contains("denied.txt");
        self.asked.lock().unwrap().push(command);
        if denied {
            PermissionResult::reject(None)
        } else {
            PermissionResult::approve_once()
        }
    }
}

/// Likes blue.
#[derive(Default)]
struct Person {
    asked: Mutex<Vec<(String, Option<Vec<String>>)>>,
}

#[async_trait]
impl UserInputHandler for Person {
    async fn handle(
        &self,
        _session: SessionId,
        _request: Option<RequestId>,
        question: String,
        choices: Option<Vec<String>>,
        _allow_freeform: Option<bool>,
    ) -> Option<UserInputResponse> {
        self.asked.lock().unwrap().push((question, choices));
        Some(UserInputResponse {
            answer: "blue".into(),
            was_freeform: false,
        })
    }
}

/// Keeps doors shut, and notes what tools return.
#[derive(Default)]
struct Porter {
    results: Mutex<Vec<String>>,
}

#[async_trait]
impl SessionHooks for Porter {
    async fn on_pre_tool_use(
        &self,
        input: PreToolUseInput,
        _context: HookContext,
    ) -> Option<PreToolUseOutput> {
        let (decision, reason) = match input.tool_name.as_str() {
            "open_door" => ("deny", Some("doors stay shut".to_string())),
            _ => ("allow", None),
        };
        Some(PreToolUseOutput {
            permission_decision: Some(decision.into()),
            permission_decision_reason: reason,
            ..Default::default()
        })
    }

    async fn on_post_tool_use(
        &self,
        input: PostToolUseInput,
        _context: HookContext,
    ) -> Option<PostToolUseOutput> {
        self.results
            .lock()
            .unwrap()
            .push(input.tool_result.to_string());
        None
    }
}
