/** What a witness answered; whatever it sent, of a bounded length. */
export interface WitnessReply {
  readonly status: number;
  /** The content type without parameters, lower-case. */
  readonly type: string;
  readonly body: string;
}

/** Sends requests to witnesses (tlog-witness). */
export interface WitnessClient {
  /**
   * @param url the prefix of the witness
   * @param signal ends the request and its reply
   * @throws Error whose message says why no reply came
   */
  addCheckpoint(url: string, body: string, signal: AbortSignal): Promise<WitnessReply>;
}
