//! What every thread that answers requests needs.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::ahead::Ahead;
use super::attributes::Presentation;
use super::callers::Callers;
use pgnfs_server::Requests;

/// What every thread that answers requests needs.
pub(super) struct Shared {
    pub(super) requests: Requests,
    pub(super) presentation: Presentation,
    /// The connection to the kernel.
    pub(super) kernel: Arc<OwnedFd>,
    pub(super) ahead: Arc<Ahead>,
    pub(super) callers: Arc<Callers>,
}
