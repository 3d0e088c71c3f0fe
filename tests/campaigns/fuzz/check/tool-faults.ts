import { isDeepStrictEqual } from 'node:util';
import type { Received } from '../../stage/receive.ts';
import type { Document, Operation, ToolForm } from '../document.ts';
import { bytesOf, type Draft } from '../requests/draft.ts';
import { argumentsIn, messageIn, type RpcMessage } from '../tools.ts';
import { acceptanceFaults, credentialFaults, type Fault, fault, headerFaults } from './faults.ts';
import { verdictOf } from './verdict.ts';

interface Result {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** All faults of the reply to a call of a tool: of the reply itself, and of the judgement that it contains. */
export function toolFaultsOf(document: Document, draft: Draft, tool: ToolForm, received: Received): readonly Fault[] {
  const message = parsedMessage(received);
  if (message === null) {
    const { status, body } = received;
    const kind = draft.operation.replies.has(status)
      ? 'a reply that is no JSON'
      : `the status ${status} is not documented`;
    return [fault(kind, body.toString().slice(0, 200))];
  }
  const judged = judgedReply(draft.operation, message, received);
  return [
    ...headerFaults(draft, received),
    ...formFaults(document, draft.operation, tool, message, received),
    ...(judged.status >= 500 ? [fault('a failure', `${judged.status} ${judged.body.toString().slice(0, 400)}`)] : []),
    ...acceptanceFaults(draft, verdictOf(draft), judged),
    ...credentialFaults(draft, judged),
    ...keyFaults(draft, tool, judged),
  ];
}

function parsedMessage(received: Received): RpcMessage | null {
  try {
    return messageIn(received);
  } catch {
    return null;
  }
}

/** The reply that the endpoint would have sent: its status and body, whatever carries them. */
function judgedReply({ replies }: Operation, { result, error }: RpcMessage, received: Received): Received {
  if (error !== undefined) {
    if (typeof error.code === 'string') return received;
    const { message, data } = error;
    const body = { error: { code: 'MALFORMED_BODY', message, ...data } };
    const status = error.code === INTERNAL_ERROR ? 500 : Math.max(400, received.status);
    return { ...received, status, body: Buffer.from(JSON.stringify(body)) };
  }
  const { content, isError } = Object(result) as Result;
  const body = Buffer.from(content?.[0]?.text ?? '');
  const code = isError ? codeIn(body) : null;
  const status = [...replies].find(([, { codes }]) => code !== null && codes.has(code))?.[0] ?? (isError ? 500 : 200);
  return { ...received, status, body };
}

const INTERNAL_ERROR = -32_603;

/** A success has what its schema lists, as text and as content; a refusal has the envelope. */
function formFaults(
  { isError: isEnvelope }: Document,
  { replies }: Operation,
  { outputFits }: ToolForm,
  message: RpcMessage,
  { status, body }: Received,
): Fault[] {
  const shown = body.toString().slice(0, 400);
  if (message.error !== undefined) {
    const isOfProtocol = typeof message.error.code === 'number' && typeof message.error.message === 'string';
    return isOfProtocol || isEnvelope(message) ? [] : [fault('an error without the envelope', shown)];
  }
  const { content = [], structuredContent, isError } = Object(message.result) as Result;
  if (status !== 200 || content.length === 0) return [fault('a result of another form', `${status} ${shown}`)];
  const text = content[0]?.text ?? '';
  if (isError === true) {
    if (!isEnvelope(parsed(text))) return [fault('isError without the envelope', shown)];
    const code = codeIn(Buffer.from(text)) ?? '';
    const isListed = [...replies.values()].some(({ codes }) => codes.has(code));
    return isListed ? [] : [fault(`the refusal ${code} is not documented`, shown)];
  }
  if (structuredContent === undefined) return [fault('no structured content', shown)];
  const unmet = outputFits.find((fits) => !fits(structuredContent));
  if (unmet) {
    const { instancePath = '', message: words = '', keyword = '' } = unmet.errors?.at(-1) ?? {};
    const place = instancePath.replaceAll(/\/\d+/g, '/n');
    return [fault(`structured content does not fit: ${place} ${keyword}`, `${instancePath} ${words}`)];
  }
  const isSame = isDeepStrictEqual(parsed(text), structuredContent) || areTexts(content, structuredContent);
  return isSame ? [] : [fault('text and structured content differ', shown)];
}

/** Of a receipt and of a skill the text is the value itself. */
function areTexts(content: Result['content'], structured: unknown): boolean {
  const { text, files } = structured as {
    readonly text?: string;
    readonly files?: readonly { readonly text: string }[];
  };
  const texts = text === undefined ? files?.map((file) => file.text) : [text];
  return isDeepStrictEqual(
    content?.map((each) => each.text),
    texts,
  );
}

/** Only a key that was sent can be one that was used before. */
function keyFaults(draft: Draft, tool: ToolForm, { body }: Received): Fault[] {
  if (codeIn(body) !== 'IDEMPOTENCY_KEY_REUSED') return [];
  const { idempotency_key } = Object(argumentsIn(tool, parsed(bytesOf(draft)?.toString() ?? '')));
  return idempotency_key === undefined ? [fault('a key that was not sent is used again', String(body))] : [];
}

function codeIn(body: Buffer): string | null {
  const { error } = Object(parsed(body.toString())) as { readonly error?: { readonly code?: unknown } };
  return typeof error?.code === 'string' ? error.code : null;
}

/** As the service reads it: without a byte order mark. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
