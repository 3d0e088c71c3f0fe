import { z } from 'zod';
import type { StreamedReply, WrittenReply } from '../../../application/json-text.ts';
import type { ActionSource } from '../../../domain/accounts/security-event.ts';
import type { Caller, KeyCaller, OwnerCaller } from '../../../domain/caller.ts';
import type { ProblemCode, ProblemDetail } from '../../../domain/problem.ts';
import type { Pool } from '../../../domain/quotas/pools.ts';
import type { PushedReply } from './reply/pushed-reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type CredentialKind = Caller['credential'];

/**
 * Who may call: a list of accepted credential kinds; `admin` (an owner with that role, by bearer or session; every
 * other caller gets 403 ADMIN_REQUIRED); `none` (credentials are ignored, the caller is null); `optional` (any valid
 * credential or none; an invalid one is 401).
 */
export type Auth = 'none' | 'optional' | 'admin' | readonly CredentialKind[];

/** `submit` needs a bound read_write key, where it is a key; `query`, the default, accepts every accepted credential. */
export type Permission = 'query' | 'submit';

export type CallerOf<A extends Auth, P extends Permission> = A extends 'none'
  ? null
  : A extends 'optional'
    ? Caller | null
    : A extends 'admin'
      ? OwnerCaller & { readonly role: 'admin' }
      : A extends readonly (infer K)[]
        ?
            | ('api_key' extends K
                ? P extends 'submit'
                  ? KeyCaller & { readonly agent_id: string }
                  : KeyCaller
                : never)
            | (Exclude<K, 'api_key'> extends never ? never : OwnerCaller)
        : never;

export interface BodyDefinition<S extends z.ZodType = z.ZodType> {
  /** For JSON and forms an object schema; for `application/yaml` a `z.string()` that gets the text. */
  readonly schema: S;
  /** In the form of the request; shown in the reference and tested against the schema. */
  readonly example: z.input<S>;
  /** Bytes; default 64 KiB. A larger body is refused with 413. */
  readonly limit?: number;
  readonly contentType?: 'application/json' | 'application/yaml' | 'application/x-www-form-urlencoded';
  /** How the paths of its faults are written where members are not joined by dots alone. */
  readonly pathOf?: (path: string) => string;
  /** Set for a body with a list that is too long to be read at once: other requests have turns while its items are parsed. */
  readonly longList?: {
    readonly member: string;
    /** The schema for the document. That of the body takes any item: the handler judges each (`itemJudge`). */
    readonly shown: z.ZodType;
  };
}

/** The schema of a body as the document shows it. */
export function shownSchema({ schema, longList }: BodyDefinition): z.ZodType {
  return longList?.shown ?? schema;
}

export interface ReplyDefinition<S extends z.ZodType = z.ZodType> {
  readonly description: string;
  /** The whitelist of what is sent: strict objects only. Absent: no content. Dates are sent as RFC 3339. */
  readonly schema?: S;
  readonly example?: z.input<S>;
  /** Set if the reply is not JSON: the schema is then a `z.string()` or `z.instanceof(Uint8Array)`, sent as it is. */
  readonly contentType?: string;
  /** Others that a `StreamedReply` or a `PushedReply` may have instead. */
  readonly otherTypes?: readonly string[];
  /** The headers beyond the common ones: name -> description. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type Replies = Readonly<Record<number, ReplyDefinition>>;

export type HeaderValue = string | number | readonly string[];

/** What a handler returns: one of the endpoint's `replies`, its body in the form of that reply's schema or as its JSON. */
export type ReplyOf<R extends Replies> = {
  [S in keyof R & number]: {
    readonly status: S;
    readonly headers?: Readonly<Record<string, HeaderValue>>;
  } & (R[S] extends { readonly schema: infer T extends z.ZodType }
    ? { readonly body: z.input<T> | WrittenReply | StreamedReply | PushedReply }
    : { readonly body?: undefined });
}[keyof R & number];

/** One credential as it was presented, not yet judged. */
export interface Credential {
  readonly kind: CredentialKind;
  readonly secret: string;
}

/** What a handler gets in addition to the validated parts of the request. */
export interface Visit {
  readonly requestId: string;
  /** Whether the request is HEAD: nothing that costs anything need be made for it. */
  readonly isHead: boolean;
  /** The client's network, as addresses are counted, by what the trusted proxies report. */
  readonly network: string;
  /** The client's IP address; null where what a trusted proxy reports is none. */
  readonly from: string | null;
  /** Whether the client wants a reply of this media type rather than JSON (`Accept`). */
  readonly prefers: (type: string) => boolean;
  /** For the security events that the request causes. */
  readonly source: ActionSource;
  /** The origin of this service, without a closing slash: PUBLIC_URL, or the address that the request was sent to. */
  readonly origin: string;
  /** The Host header, which the caller chooses; empty without one. */
  readonly host: string;
  /** The credential that was judged: a session's logout needs its secret. */
  readonly credential: Credential | null;
  readonly cookie: (name: string) => string | undefined;
  /** The name of the session's cookie. */
  readonly sessionCookie: string;
}

export interface Input<A extends Auth, N extends Permission, P, Q, H, B> extends Visit {
  readonly caller: CallerOf<A, N>;
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
  readonly body: B;
  /** The body as it was sent, decoded from UTF-8: for fingerprints and commitments. Empty without a body. */
  readonly rawBody: string;
  /** Values of the body outside their domains; always empty without `judgesValues`. */
  readonly valueFaults: readonly ProblemDetail[];
}

interface Description {
  /** The operationId: unique, camelCase, a verb first. */
  readonly id: string;
  readonly method: Method;
  /** With parameters in braces, as the contract writes it: `/api/v1/owner/workflows/{id}`. */
  readonly path: string;
  /** The interface lacks it (docs/contract.md): the document says so. */
  readonly isAddition?: true;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  /**
   * A stricter limit per client address. `signup`: it opens accounts or tries passwords. `cohort`: it counts cohorts
   * without a credential.
   */
  readonly limits?: 'signup' | 'cohort';
  /**
   * It adds to the stored data, without a small bound: it is refused while the disk of the database is nearly full. Logins,
   * reads, acts of operators, and what lowers or removes something go on then.
   */
  readonly grows?: true;
  /** Agents wait for its reply: what this process does at length gives way to it (`giveWay`). */
  readonly isUrgent?: true;
  /**
   * Where OWNER_FACTOR requires a second factor, an owner without one may still call it: to add one, to log in with one, to
   * see their own status, and to log out.
   */
  readonly withoutFactor?: true;
  /** It begins a login, which pages of other sites must not do for a browser (login CSRF). */
  readonly beginsLogin?: true;
  /**
   * The daily pool of the caller's owner from which a served request takes one unit; a refused request takes none.
   * `check` is the pool of the decision that the path names by `record_id`.
   */
  readonly spends?: Pool;
  /**
   * How long, in milliseconds, any cache may use a 200 before it revalidates it: only for replies that are the same for
   * every caller. Such a reply has an ETag and honours `If-None-Match`. Without `sharedFor` no cache stores the reply.
   */
  readonly sharedFor?: number;
  /** The codes that it can refuse with, in addition to those of the kit (credentials, rate, shape, faults). */
  readonly problems: readonly ProblemCode[];
  /** The status for a well-shaped value outside its domain: 422 (submit, wisdom) or 400, the default. */
  readonly valueStatus?: 422;
  /**
   * The handler judges the body's values together with its own rules, so that all faults are reported at once. It gets
   * a body of the right shape as it was sent, and the faults that the schema found in its values as `valueFaults`.
   */
  readonly judgesValues?: boolean;
  /** The status for an unknown, missing or mistyped member: 422 (wisdom) or 400, the default. */
  readonly shapeStatus?: 422;
}

type Empty = z.ZodObject<Record<never, never>, z.core.$strict>;
const EMPTY: Empty = z.strictObject({});

export interface Definition<
  A extends Auth,
  N extends Permission,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  H extends z.ZodObject,
  B extends z.ZodType,
  R extends Replies,
> extends Description {
  readonly auth: A;
  readonly permission?: N;
  readonly params?: P;
  readonly query?: Q;
  /** The headers that the handler reads, lower-case names; others are ignored. */
  readonly headers?: H;
  readonly body?: BodyDefinition<B>;
  readonly replies: R;
  handle(
    input: Input<A, N, z.output<P>, z.output<Q>, z.output<H>, z.output<B>>,
  ): Promise<ReplyOf<NoInfer<R>>> | ReplyOf<NoInfer<R>>;
}

/** An endpoint of any shape, as the router and the OpenAPI document read it. */
export interface Endpoint extends Description {
  readonly auth: Auth;
  readonly permission: Permission;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly headers: z.ZodObject;
  readonly body: BodyDefinition | undefined;
  readonly replies: Replies;
  handle(input: Input<Auth, Permission, unknown, unknown, unknown, unknown>): Promise<AnyReply> | AnyReply;
}

export interface AnyReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, HeaderValue>>;
  readonly body?: unknown;
}

/**
 * One endpoint as a value: validation, the types of the handler's input and reply, the OpenAPI operation and the route
 * all come from it. Query and params arrive as text, so their schemas start from strings: see query-values.ts.
 * @throws TypeError when a schema, of the input or of a reply, contains an object that is not strict, when the
 * parameters in the path are not those of `params`, when a pool has no owner, or when caches would store a reply that
 * depends on the caller
 */
export function endpoint<
  const R extends Replies,
  const A extends Auth,
  N extends Permission = 'query',
  P extends z.ZodObject = Empty,
  Q extends z.ZodObject = Empty,
  H extends z.ZodObject = Empty,
  B extends z.ZodType = z.ZodUndefined,
>(definition: Definition<A, N, P, Q, H, B, R>): Endpoint {
  const { permission = 'query', params = EMPTY, query = EMPTY, headers = EMPTY, body } = definition;
  const made = { ...definition, permission, params, query, headers, body } as unknown as Endpoint;
  refuseLooseObjects(`${made.id}: params`, params);
  refuseLooseObjects(`${made.id}: query`, query);
  if (body) refuseLooseObjects(`${made.id}: body`, body.schema);
  if (body?.longList) refuseLooseObjects(`${made.id}: body`, body.longList.shown);
  for (const [status, { schema }] of Object.entries(made.replies)) {
    if (schema) refuseLooseObjects(`${made.id}: reply ${status}`, schema);
  }
  refuseOtherParameters(made);
  refuseSpendingOfNobody(made);
  refuseSharingOfOwn(made);
  return made;
}

function refuseOtherParameters({ id, path, params }: Endpoint): void {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const declared = Object.keys(params.shape);
  if (inPath.toSorted().join() !== declared.toSorted().join()) {
    throw new TypeError(`${id}: the path names ${inPath.join()} and params names ${declared.join()}`);
  }
}

function refuseSpendingOfNobody({ id, auth, spends, path }: Endpoint): void {
  if (spends !== undefined && !Array.isArray(auth)) throw new TypeError(`${id}: a pool needs an owner who is known`);
  if (spends === 'check' && !path.includes('{record_id}')) throw new TypeError(`${id}: a check needs a record_id`);
}

function refuseSharingOfOwn({ id, auth, method, sharedFor }: Endpoint): void {
  if (sharedFor !== undefined && (auth !== 'none' || method !== 'GET')) {
    throw new TypeError(`${id}: caches may keep only replies that are the same for every caller`);
  }
}

/**
 * Refuses a schema that would accept an undeclared member, or drop it silently: z.object() and z.looseObject() at any
 * depth. Records, z.json(), z.unknown() and a typed catchall are open on purpose and are accepted.
 * @throws TypeError that names the place
 */
export function refuseLooseObjects(place: string, schema: z.core.$ZodType): void {
  const seen = new Set<z.core.$ZodType>();
  refuseLooseIn(place, schema, seen);
  for (const each of seen) strict.add(each);
}

/** Schemas that were accepted: endpoints share most of them, and each application of a process has its own endpoints. */
const strict = new WeakSet<z.core.$ZodType>();

function refuseLooseIn(place: string, schema: z.core.$ZodType, seen: Set<z.core.$ZodType>): void {
  if (strict.has(schema) || seen.has(schema)) return;
  seen.add(schema);
  const definition = (schema as z.core.$ZodTypes)._zod.def;
  if (definition.type === 'object') {
    const catchall = definition.catchall?._zod.def.type;
    if (catchall === undefined || catchall === 'unknown')
      throw new TypeError(`${place} contains an object that is not strict: use z.strictObject`);
    const members = { ...definition.shape, '*': definition.catchall };
    for (const [name, member] of Object.entries(members)) if (member) refuseLooseIn(`${place}.${name}`, member, seen);
    return;
  }
  for (const inner of innerSchemas(definition)) refuseLooseIn(place, inner, seen);
}

function innerSchemas(definition: z.core.$ZodTypes['_zod']['def']): readonly z.core.$ZodType[] {
  switch (definition.type) {
    case 'array':
      return [definition.element];
    case 'tuple':
      return definition.items;
    case 'union':
      return definition.options;
    case 'intersection':
      return [definition.left, definition.right];
    case 'record':
      return [definition.valueType];
    case 'lazy':
      return [definition.getter()];
    case 'pipe':
      return [definition.in, definition.out];
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
    case 'nonoptional':
      return [definition.innerType];
    default:
      return [];
  }
}
