package wire

// Types of session.warning about the end of a run or of an answer, and about what the model reads.
const (
	// WarningIncomplete says that an answer is not complete: cut off, refused, withheld by a filter, or
	// empty. Its field [FieldFinish] has the reason.
	WarningIncomplete = "incomplete_answer"
	// WarningBudget says that a run has ended because its budget is used up.
	WarningBudget = "budget_exhausted"
	// WarningUnreported says that a run in autopilot has ended, and that the agent has not reported the task as done
	// although it was asked to.
	WarningUnreported = "task_not_reported"
	// WarningRepeatedCalls says that the model makes the same calls with the same results again and again. If the
	// run has ended because of that, its field [FieldFinish] is [FinishRepeatedCalls].
	WarningRepeatedCalls = "repeated_calls"
	// WarningLeftOut says that a part of the conversation does not fit into the model's window, and is left out
	// of what the model reads. Its field [FieldLeftOut] has which part.
	WarningLeftOut = "context_left_out"
	// WarningSmallSet says that the small set of tools leaves out what the skills or agents of the session need.
	WarningSmallSet = "small_tool_set"
)

// Reasons for which an answer is not complete, of those in [FieldFinish], that clients tell from others.
const (
	// ContentFilter is the reason if a filter has stopped an answer. It is also the type of the
	// session.error if nothing is left of the answer, or if the filter has refused the question.
	ContentFilter = "content_filter"
	// FinishRefusal is the reason if the model has refused to answer, or to go on.
	FinishRefusal = "refusal"
	// FinishRepetition is the reason if an answer was stopped because it repeated itself.
	FinishRepetition = "repetition"
	// FinishRepeatedCalls is not about an answer, but about a run that has ended without one.
	FinishRepeatedCalls = "repeated_calls"
)
