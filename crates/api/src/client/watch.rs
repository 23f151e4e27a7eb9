//! Following: one operation to its end, or a whole list for as long as somebody listens.

use std::{marker::PhantomData, time::Duration};

use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde::de::DeserializeOwned;
use tokio::time::{sleep, timeout};

use super::{
    ClientError,
    connection::{Connection, Payload},
    pages::with_query,
    sse::{Event, Parser},
};
use crate::{operation::OperationView, routes::Method};

/// The server says something at least three times in this while.
const SILENCE: Duration = Duration::from_secs(45);
/// How often somebody who does not answer is asked again, and how long to wait: twice as long each time, at most this.
const TRIES: u32 = 12;
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A stream of events as it comes.
#[derive(Debug)]
struct Stream {
    connection: Connection,
    body: Incoming,
    parser: Parser,
}

impl Stream {
    async fn next(&mut self) -> Result<Option<Event>, ClientError> {
        loop {
            if let Some(event) = self.parser.event() {
                return Ok(Some(event));
            }
            let frame = timeout(SILENCE, self.body.frame())
                .await
                .map_err(|_| self.connection.timed_out(SILENCE))?;
            match frame {
                None => return Ok(None),
                Some(frame) => {
                    let frame = frame.map_err(|error| self.connection.unreachable(error))?;
                    if let Ok(data) = frame.into_data() {
                        self.parser.feed(&data);
                    }
                }
            }
        }
    }
}

fn read<T: DeserializeOwned>(data: &str) -> Result<T, ClientError> {
    serde_json::from_str(data).map_err(|error| ClientError::Protocol {
        detail: error.to_string(),
    })
}

#[derive(Debug)]
pub struct OperationWatch(Stream);

impl OperationWatch {
    pub(super) fn new(connection: Connection, body: Incoming) -> Self {
        Self(Stream {
            connection,
            body,
            parser: Parser::default(),
        })
    }

    /// The next state, or nothing when the stream has ended, be it with the operation or with the server.
    pub async fn next(&mut self) -> Result<Option<OperationView>, ClientError> {
        let event = self.0.next().await?;
        event.map(|event| read(&event.data)).transpose()
    }
}

/// What happened to one of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen<V> {
    Added(V),
    Modified(V),
    /// As it was last; or it does not match any more.
    Deleted(V),
    /// All that there is was told, up to here.
    Bookmark,
    /// The platform remembers less than we missed: what there is is told anew, and what is not told again is gone.
    Restarted,
}

/// A watch that goes on where it was when its connection or the platform comes back.
#[derive(Debug)]
pub struct Watch<V> {
    connection: Connection,
    path: String,
    parameters: Vec<(&'static str, String)>,
    stream: Option<Stream>,
    resume: Option<String>,
    view: PhantomData<fn() -> V>,
}

impl<V: DeserializeOwned> Watch<V> {
    pub(super) async fn begin(
        connection: Connection,
        path: String,
        parameters: Vec<(&'static str, String)>,
        resume: Option<String>,
    ) -> Result<Self, ClientError> {
        let mut watch = Self {
            connection,
            path,
            parameters,
            stream: None,
            resume,
            view: PhantomData,
        };
        watch.stream = Some(watch.open().await?);
        Ok(watch)
    }

    /// After the last event that was returned; for another watch to go on from.
    pub fn resume_point(&self) -> Option<&str> {
        self.resume.as_deref()
    }

    /// Waits for what comes next. An error is one that trying again does not mend.
    pub async fn next(&mut self) -> Result<Seen<V>, ClientError> {
        let mut tries = 0;
        loop {
            let heard = match &mut self.stream {
                Some(stream) => stream.next().await,
                None => Ok(None),
            };
            match heard {
                Ok(Some(event)) => {
                    tries = 0;
                    if let Some(seen) = self.seen(event)? {
                        return Ok(seen);
                    }
                    continue;
                }
                Ok(None) => {}
                Err(error) if error.is_unreachable() => {}
                Err(error) => return Err(error),
            }
            self.stream = None;
            match self.open().await {
                Ok(stream) => self.stream = Some(stream),
                Err(ClientError::Problem(problem)) if problem.code == "resume-expired" => {
                    self.resume = None;
                    return Ok(Seen::Restarted);
                }
                Err(error) if is_passing(&error) && tries < TRIES => {
                    sleep(LONGEST_PAUSE.min(PAUSE * 2u32.pow(tries))).await;
                    tries += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn seen(&mut self, event: Event) -> Result<Option<Seen<V>>, ClientError> {
        let seen = match event.name.as_str() {
            "added" => Seen::Added(read(&event.data)?),
            "modified" => Seen::Modified(read(&event.data)?),
            "deleted" => Seen::Deleted(read(&event.data)?),
            "bookmark" => Seen::Bookmark,
            // Of a newer platform.
            _ => return Ok(None),
        };
        self.resume = event.id.or_else(|| self.resume.take());
        Ok(Some(seen))
    }

    async fn open(&self) -> Result<Stream, ClientError> {
        let mut parameters = self.parameters.clone();
        parameters.push(("watch", "true".to_owned()));
        parameters.extend(self.resume.clone().map(|point| ("resume", point)));
        let path = with_query(&self.path, &parameters);
        let response = self.connection.open(Method::Get, &path, Payload::Empty).await?;
        Ok(Stream {
            connection: self.connection.clone(),
            body: response.into_body(),
            parser: Parser::default(),
        })
    }
}

/// A platform that is being started again, or is busy.
fn is_passing(error: &ClientError) -> bool {
    match error {
        ClientError::Problem(problem) => matches!(problem.status, 429 | 502..=504),
        other => other.is_unreachable(),
    }
}
