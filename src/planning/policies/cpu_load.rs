//! CPULOAD: the most idle processors (rule 1.4).

use super::min_resource::MinResource;
use super::policy::{AllocationPolicy, Key, Question, key_of};
use super::{Candidate, PolicyName};

/// Idle processors, descending; nodes without any are never used. Loads are only known for now, so a
/// later start goes by MINRESOURCE.
pub(super) struct CpuLoad;

impl AllocationPolicy for CpuLoad {
    fn name(&self) -> PolicyName {
        PolicyName::CpuLoad
    }

    fn key(&self, question: &Question<'_>, candidate: &Candidate) -> Key {
        if question.is_now() {
            key_of(-question.site_request.idle_procs(candidate))
        } else {
            MinResource.key(question, candidate)
        }
    }

    fn uses(&self, question: &Question<'_>, candidate: &Candidate) -> bool {
        !question.is_now() || question.site_request.idle_procs(candidate) > 0.0
    }

    fn reverses_ties(&self, question: &Question<'_>) -> bool {
        !question.is_now()
    }

    fn show_key(&self, question: &Question<'_>, candidate: &Candidate) -> String {
        if question.is_now() {
            format!("idle {:.1}", question.site_request.idle_procs(candidate))
        } else {
            MinResource.show_key(question, candidate)
        }
    }
}
