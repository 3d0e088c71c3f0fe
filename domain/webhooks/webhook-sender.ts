/** One attempt of a delivery. */
export interface WebhookRequest {
  /** As the owner sent it; `webhookUrlProblem` judges it again before each attempt. */
  readonly url: string;
  /** Names in lower case. The sender adds Host, Content-Type, Content-Length and User-Agent. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, sent as it is: a signature covers exactly these bytes in UTF-8. */
  readonly body: string;
}

/**
 * Why no status arrived, or none that counts.
 * - ADDRESS_REFUSED: the URL, every address of its name, or the operator's proxy does not admit the request
 * - CONNECTION_FAILED: no such name, no connection, or a reply that is not HTTP
 * - TIMED_OUT: no status within `WEBHOOK_REQUEST.deadline`
 * - REDIRECTED: a status from 300 to 399, which is never followed
 * - TLS_FAILED: the receiver's certificate or its version of TLS is not accepted
 */
export type WebhookFailure = 'ADDRESS_REFUSED' | 'CONNECTION_FAILED' | 'TIMED_OUT' | 'REDIRECTED' | 'TLS_FAILED';

export type WebhookResult =
  | {
      readonly outcome: 'answered';
      /** Never from 300 to 399. */
      readonly status: number;
      /** In seconds from now, at least 0, not bounded above; null where the reply names no time. */
      readonly retryAfter: number | null;
    }
  | { readonly outcome: 'failed'; readonly reason: WebhookFailure };

/** Sends requests to the addresses of owners, and only to those that `isAdmittedAddress` admits. */
export interface WebhookSender {
  /** One POST, with a connection of its own. Every failure is a result; it never throws. */
  send(request: WebhookRequest): Promise<WebhookResult>;
}
