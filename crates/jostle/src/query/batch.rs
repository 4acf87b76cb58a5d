//! Many questions at once, on the world's threads. Each is answered on its own, so that the answers are those of one by
//! one.

use jostle_broad::Executor;

use super::QueryError;

/// Questions handed out to a thread at a time.
const TASK: usize = 32;

/// Replaces `answers` by those to the questions, in their order. On error nothing has changed; it names the first
/// question that is wrong.
pub(super) fn answer_all<Q: Sync, A: Send>(
    executor: &Executor,
    questions: &[Q],
    answers: &mut Vec<A>,
    answer: impl Fn(&Q) -> Result<A, QueryError> + Sync,
) -> Result<(), QueryError> {
    let mut tasks: Vec<_> = questions.chunks(TASK).map(|questions| (questions, Vec::new())).collect();
    executor.for_each(&mut tasks, |_, (questions, answers)| {
        answers.extend(questions.iter().map(&answer));
    });
    let results = tasks.into_iter().flat_map(|(_, answers)| answers);
    let found: Result<Vec<A>, QueryError> = results
        .enumerate()
        .map(|(index, result)| {
            result.map_err(|source| QueryError::InBatch { index, source: Box::new(source) })
        })
        .collect();
    let found = found?;
    answers.clear();
    answers.extend(found);
    Ok(())
}
