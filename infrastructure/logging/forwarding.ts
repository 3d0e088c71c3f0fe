/** Where log lines are sent to. Certificates, compression and times OpenTelemetry reads from its own variables. */
export interface ForwardingSettings {
  readonly url: string;
  /** `name=value,name=value`; empty: none. */
  readonly headers: string;
}

/** The lines of this process: how many wait, and what became of the others. */
export interface ForwardingFigures {
  readonly waiting: number;
  readonly sent: number;
  readonly lost: Readonly<Record<LossReason, number>>;
}

/** `full`: too many waited; `refused`: the receiver wants none of a request; `rejected`: it left out some lines of one. */
export const LOSS_REASONS = ['full', 'refused', 'rejected'] as const;
export type LossReason = (typeof LOSS_REASONS)[number];
