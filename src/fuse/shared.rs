//! What all threads that answer requests need.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::ahead::Ahead;
use super::attributes::Presentation;
use super::callers::Callers;
use pgnfs_server::Requests;

/// What all threads that answer requests need.
pub(super) struct Shared {
    pub(super) requests: Requests,
    pub(super) presentation: Presentation,
    /// The connection to the kernel.
    pub(super) kernel: Arc<OwnedFd>,
    pub(super) ahead: Arc<Ahead>,
    pub(super) callers: Arc<Callers>,
}
