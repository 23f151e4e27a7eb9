//! One request, one connection. The body of the answer is read whole (bounded in time) or handed on as a stream.

use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Frame, Incoming},
    client::conn::http1::SendRequest,
};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::{
    fs::File,
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    net::TcpStream,
    time::timeout,
};

use super::{
    ClientError, Tag,
    tls::{self, Tls, Trust},
};
use crate::{Problem, problem, routes::Method};

const CONNECT: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(60);
/// Loading an archive into every node of a cluster may take a while after its last byte was sent.
const UPLOAD: Duration = Duration::from_secs(3600);
const CHUNK: usize = 64 * 1024;

type Body = UnsyncBoxBody<Bytes, std::io::Error>;

/// Headers of one call, besides those of every call.
pub(super) type Headers = Vec<(&'static str, String)>;

pub(super) enum Payload {
    Empty,
    Json(Vec<u8>),
    Archive(File),
}

#[derive(Clone)]
pub(super) struct Connection {
    authority: String,
    endpoint: String,
    token: Option<HeaderValue>,
    /// Nothing of a plain `http://`.
    tls: Option<Tls>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl Connection {
    pub fn new(endpoint: &str, token: Option<String>, trust: &Trust) -> Result<Self, ClientError> {
        let wrong = || ClientError::Endpoint {
            given: endpoint.to_owned(),
        };
        let (secure, rest) = match (
            endpoint.strip_prefix("https://"),
            endpoint.strip_prefix("http://"),
        ) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Err(wrong()),
        };
        let authority = rest.trim_end_matches('/');
        let parsed: http::uri::Authority = authority.parse().map_err(|_| wrong())?;
        if parsed.port_u16().is_none() || parsed.host().is_empty() {
            return Err(wrong());
        }
        let token = match token {
            Some(token) => {
                let mut value =
                    HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| ClientError::Protocol {
                        detail: "the token has characters no token has".to_owned(),
                    })?;
                value.set_sensitive(true);
                Some(value)
            }
            None => None,
        };
        Ok(Self {
            authority: authority.to_owned(),
            endpoint: endpoint.to_owned(),
            token,
            tls: secure.then(|| Tls::new(&parsed, trust)).transpose()?,
        })
    }

    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    pub async fn json<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        payload: Payload,
    ) -> Result<T, ClientError> {
        self.json_with(method, path, payload, Headers::new()).await
    }

    pub async fn json_with<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        payload: Payload,
        headers: Headers,
    ) -> Result<T, ClientError> {
        let (body, _) = self.exchange(method, path, payload, headers).await?;
        parse(&body)
    }

    /// What is at a path, and its ETag.
    pub async fn tagged<T: DeserializeOwned>(&self, path: &str) -> Result<(T, Tag), ClientError> {
        let (body, answered) = self
            .exchange(Method::Get, path, Payload::Empty, Headers::new())
            .await?;
        let tag = answered
            .get(header::ETAG)
            .and_then(|tag| tag.to_str().ok())
            .map(str::to_owned);
        let tag = tag.ok_or_else(|| ClientError::Protocol {
            detail: "the answer has no ETag".to_owned(),
        })?;
        Ok((parse(&body)?, Tag(tag)))
    }

    /// The whole body of a successful answer.
    pub async fn bytes(&self, method: Method, path: &str, payload: Payload) -> Result<Bytes, ClientError> {
        let (body, _) = self.exchange(method, path, payload, Headers::new()).await?;
        Ok(body)
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        payload: Payload,
        headers: Headers,
    ) -> Result<(Bytes, HeaderMap), ClientError> {
        let after = match payload {
            Payload::Empty | Payload::Json(_) => ANSWER,
            Payload::Archive(_) => UPLOAD,
        };
        let exchange = async {
            let response = self.ask(method, path, payload, headers).await?;
            let answered = response.headers().clone();
            Ok((self.collect(response).await?, answered))
        };
        timeout(after, exchange)
            .await
            .map_err(|_| self.timed_out(after))?
    }

    /// A successful answer whose body is still to be read; a problem is read and returned as the error it is.
    pub async fn open(
        &self,
        method: Method,
        path: &str,
        payload: Payload,
    ) -> Result<Response<Incoming>, ClientError> {
        self.ask(method, path, payload, Headers::new()).await
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        payload: Payload,
        headers: Headers,
    ) -> Result<Response<Incoming>, ClientError> {
        let connect = timeout(CONNECT, TcpStream::connect(&self.authority));
        let socket = connect
            .await
            .map_err(|_| self.timed_out(CONNECT))?
            .map_err(|error| self.unreachable(error))?;
        socket
            .set_nodelay(true)
            .map_err(|error| self.unreachable(error))?;
        let mut sender = match &self.tls {
            Some(tls) => {
                let shaken = timeout(CONNECT, tls.connect(socket)).await;
                let shaken = shaken.map_err(|_| self.timed_out(CONNECT))?;
                self.begin(shaken.map_err(|error| self.disbelieved(error))?)
                    .await?
            }
            None => self.begin(socket).await?,
        };
        let mut request = self.request(method, path, payload)?;
        for (name, value) in headers {
            let value = HeaderValue::from_str(&value).map_err(|_| ClientError::Protocol {
                detail: format!("{name} has characters no header has"),
            })?;
            request.headers_mut().insert(name, value);
        }
        let response = sender
            .send_request(request)
            .await
            .map_err(|error| self.lost(error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let body = self.collect(response).await?;
        Err(ClientError::Problem(Box::new(read_problem(status, &body))))
    }

    async fn begin(
        &self,
        socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ) -> Result<SendRequest<Body>, ClientError> {
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(socket));
        let (sender, connection) = handshake.await.map_err(|error| self.unreachable(error))?;
        // The connection ends with the exchange; what ended it is seen by whoever reads the answer.
        tokio::spawn(connection);
        Ok(sender)
    }

    fn disbelieved(&self, error: std::io::Error) -> ClientError {
        match tls::disbelief(&error) {
            Some(reason) => ClientError::Untrusted {
                endpoint: self.endpoint.clone(),
                reason,
            },
            None => self.unreachable(error),
        }
    }

    fn request(&self, method: Method, path: &str, payload: Payload) -> Result<Request<Body>, ClientError> {
        let mut request = Request::builder()
            .method(method.as_str())
            .uri(path)
            .header(header::HOST, &self.authority)
            .header(header::USER_AGENT, concat!("cloud/", env!("CARGO_PKG_VERSION")));
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, token);
        }
        let (media_type, body) = match payload {
            Payload::Empty => (None, full(Bytes::new())),
            Payload::Json(json) => (Some("application/json"), full(Bytes::from(json))),
            Payload::Archive(file) => (Some("application/x-tar"), streamed(file)),
        };
        if let Some(media_type) = media_type {
            request = request.header(header::CONTENT_TYPE, media_type);
        }
        request.body(body).map_err(|error| ClientError::Protocol {
            detail: error.to_string(),
        })
    }

    async fn collect(&self, response: Response<Incoming>) -> Result<Bytes, ClientError> {
        let body = response
            .into_body()
            .collect()
            .await
            .map_err(|error| self.lost(error))?;
        Ok(body.to_bytes())
    }

    pub fn unreachable(&self, source: impl std::error::Error + Send + Sync + 'static) -> ClientError {
        ClientError::Unreachable {
            endpoint: self.endpoint.clone(),
            source: Box::new(source),
        }
    }

    /// After the request was sent, or some of it: nobody knows whether it was carried out.
    fn lost(&self, source: hyper::Error) -> ClientError {
        ClientError::Lost {
            endpoint: self.endpoint.clone(),
            source: Box::new(source),
        }
    }

    pub fn timed_out(&self, after: Duration) -> ClientError {
        ClientError::Timeout {
            endpoint: self.endpoint.clone(),
            after,
        }
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ClientError> {
    serde_json::from_slice(body).map_err(|error| ClientError::Protocol {
        detail: error.to_string(),
    })
}

fn full(bytes: Bytes) -> Body {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

/// A file, read piece by piece as the other side takes it.
fn streamed(file: File) -> Body {
    let frames = stream::try_unfold(file, |mut file| async move {
        let mut chunk = vec![0; CHUNK];
        let read = file.read(&mut chunk).await?;
        chunk.truncate(read);
        Ok((read > 0).then(|| (Frame::data(Bytes::from(chunk)), file)))
    });
    StreamBody::new(frames).boxed_unsync()
}

/// Something between us and the platform may have answered instead of it.
fn read_problem(status: u16, body: &[u8]) -> Problem {
    serde_json::from_slice(body).unwrap_or_else(|_| {
        Problem::from(&types::Fault::new(
            problem::kind_of(status),
            "answer-unexpected",
            format!("the answer was {status} without a problem that could be read"),
            "check that the endpoint is the platform's own",
        ))
    })
}
