import type { components, operations } from './interface.d.ts';

type Content<Reply> = Reply extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;
type Replies<O extends keyof operations> = operations[O]['responses'];

/** The JSON of an operation's reply of 200. */
export type Ok<O extends keyof operations> = Content<Replies<O>[200 & keyof Replies<O>]>;

/** The parameters of an operation's query. */
export type QueryOf<O extends keyof operations> = NonNullable<operations[O]['parameters']['query']>;

/** All named schemas of the interface. */
export type Schemas = components['schemas'];

export type DecisionSubmission = Schemas['DecisionSubmission'];
export type AcceptedDecision = Schemas['AcceptedDecision'];
export type ValidatedSubmission = Schemas['ValidatedSubmission'];
export type DecisionGroupSubmission = Schemas['DecisionGroupSubmission'];
export type AcceptedDecisionGroup = Schemas['AcceptedDecisionGroup'];
export type ValidatedDecisionGroup = Schemas['ValidatedDecisionGroup'];
export type DecisionState = Ok<'readDecisionState'>;
export type Decision = Ok<'readDecision'>;
export type DecisionBatch = Ok<'readDecisionBatch'>;
export type DecisionList = Ok<'listAgentDecisions'>;
export type Recall = Ok<'recall'>;
export type Cohort = Ok<'queryWisdom'>;
export type PlanRequest = Schemas['PlanRequest'];
export type StatedPlan = Schemas['StatedPlan'];
export type WrittenNote = Schemas['WrittenNote'];
export type PlanList = Schemas['PlanList'];
export type BacktestAbout = Schemas['BacktestAbout'];
export type BacktestRow = Schemas['BacktestRow'];
export type BacktestReply = Schemas['BacktestBatchReply'];
export type BacktestNote = Schemas['BacktestNoteRequest'];
export type WrittenBacktestNote = Schemas['WrittenBacktestNote'];
export type BacktestSet = Schemas['BacktestSet'];
export type DecisionGraph = Ok<'readDecisionGraph'>;
export type AgentEvent = Schemas['AgentEvent'];
export type AgentEventFeed = Schemas['AgentEventFeed'];
export type Limits = Ok<'readAuthStatus'>;
