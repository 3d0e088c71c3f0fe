// Faults that the linters must find.

interface Reply {
  readonly $ref?: string;
  readonly headers: Record<string, unknown>;
}

interface Operation {
  responses: Record<string, Reply>;
  requestBody: { content: Record<string, { example: Record<string, unknown> }> };
}

/** The parts of the document that the plants change. */
export interface PlantedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Reply>>;
    readonly schemas: Record<string, object>;
  };
}

export interface Plant {
  readonly name: string;
  readonly linter: string;
  /** The rule that finds it. */
  readonly rule: string;
  plant(document: PlantedDocument): void;
}

const SUBMIT = '/api/v1/agent/decisions';
const WISDOM = '/api/v1/agent/wisdom';

export const PLANTS: readonly Plant[] = [
  {
    name: 'an example that does not fit its schema',
    linter: 'redocly',
    rule: 'no-invalid-media-type-examples',
    plant(document) {
      const body = operationOf(document, SUBMIT, 'post').requestBody.content['application/json'];
      if (body) body.example = { ...body.example, direction: 'up' };
    },
  },
  {
    name: 'an operation without replies for its refusals',
    linter: 'redocly',
    rule: 'operation-4xx-response',
    plant(document) {
      const operation = operationOf(document, WISDOM, 'get');
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses).filter(([status]) => status === '200'),
      );
    },
  },
  {
    name: 'a text without a maximum length',
    linter: 'spectral',
    rule: 'owasp:api4:2023-string-limit',
    plant({ components }) {
      components.schemas.Revocation = { type: 'object', properties: { reason: { type: 'string' } } };
    },
  },
  {
    name: 'a reply without the headers of the rate limit',
    linter: 'spectral',
    rule: 'own-rate-limit',
    plant: (document) => removeHeader(document, '200', 'x-ratelimit-limit'),
  },
  {
    name: 'a 429 without a retry time',
    linter: 'spectral',
    rule: 'own-retry-after',
    plant: (document) => removeHeader(document, '429', 'retry-after'),
  },
  {
    name: 'a reply without the header of CORS',
    linter: 'spectral',
    rule: 'own-cors-origin',
    plant: (document) => removeHeader(document, '200', 'access-control-allow-origin'),
  },
  {
    name: 'an operation without its 401',
    linter: 'spectral',
    rule: 'owasp:api8:2023-define-error-responses-401',
    plant(document) {
      delete operationOf(document, WISDOM, 'get').responses['401'];
    },
  },
];

function removeHeader(document: PlantedDocument, status: string, header: string): void {
  const reply = operationOf(document, WISDOM, 'get').responses[status];
  const { headers } = document.components.responses[reply?.$ref?.split('/').at(-1) ?? ''] ?? reply ?? {};
  delete headers?.[header];
}

function operationOf({ paths }: PlantedDocument, path: string, method: string): Operation {
  const operation = paths[path]?.[method];
  if (!operation) throw new Error(`The document has no ${method} ${path}.`);
  return operation;
}
