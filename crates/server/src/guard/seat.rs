//! Listening to a stream: so many at once for each principal, and for as long as they would be let in anew.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{extract::FromRequestParts, http::request::Parts};
use types::{Fault, FaultKind};

use super::{Pass, extract::caller};
use crate::{answer::Refusal, router::Api};

/// Who listens to how many streams.
#[derive(Debug)]
pub struct Seats {
    most: usize,
    admitted_for: Duration,
    taken: Mutex<HashMap<String, usize>>,
}

impl Default for Seats {
    /// Enough for a dashboard and a hundred waiting commands; a stream costs a task and a look at the change log.
    fn default() -> Self {
        Self::new(200, Duration::from_secs(15))
    }
}

impl Seats {
    /// So many for each; whoever has one is asked again after `admitted_for` whether they may.
    pub fn new(most: usize, admitted_for: Duration) -> Self {
        Self {
            most,
            admitted_for,
            taken: Mutex::default(),
        }
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(self: &Arc<Self>, who: &str) -> Result<Taken, Fault> {
        let mut taken = self.taken();
        let count = taken.entry(who.to_owned()).or_default();
        if *count >= self.most {
            return Err(Fault::new(
                FaultKind::TooMany,
                "too-many-watches",
                format!("{count} watches of yours are open, and that is as many as one may have"),
                "end one of them; a watch of a list tells of everything in it",
            ));
        }
        *count += 1;
        let (seats, who) = (self.clone(), who.to_owned());
        Ok(Taken { seats, who })
    }
}

#[derive(Debug)]
struct Taken {
    seats: Arc<Seats>,
    who: String,
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut taken = self.seats.taken();
        match taken.get_mut(&self.who) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(&self.who)),
        }
    }
}

/// One stream's; free again when this is dropped.
pub struct Seat {
    api: Api,
    pass: Pass,
    _taken: Taken,
}

impl Seat {
    /// Until its holder may listen no longer, or the daemon stops. Whoever asks again is told why.
    pub async fn over(self) {
        let mut stop = self.api.stop.clone();
        let stopped = async move {
            // A sender that is gone is a daemon that is gone.
            let _ = stop.wait_for(|stop| *stop).await;
        };
        let refused = async {
            loop {
                tokio::time::sleep(self.api.seats.admitted_for).await;
                if !self.pass.is_good_still(&self.api).await {
                    return;
                }
            }
        };
        tokio::select! {
            () = stopped => {}
            () = refused => {}
        }
    }
}

impl FromRequestParts<Api> for Seat {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Refusal> {
        let pass = Pass::from_request_parts(parts, api).await?;
        let taken = api.seats.take(&caller(parts)?.principal.id)?;
        Ok(Self {
            api: api.clone(),
            pass,
            _taken: taken,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_so_many_and_a_place_is_free_again() {
        let seats = Arc::new(Seats::new(3, Duration::MAX));
        let mut held: Vec<Taken> = (0..3).map(|_| seats.take("ana").unwrap()).collect();
        assert_eq!(seats.take("ana").unwrap_err().code, "too-many-watches");
        seats.take("bob").unwrap();
        held.pop();
        held.push(seats.take("ana").unwrap());
        assert!(seats.take("ana").is_err());
        drop(held);
        assert!(seats.taken().is_empty());
    }
}
