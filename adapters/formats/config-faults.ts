import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { WORKFLOW } from '../../domain/limits.ts';
import type { ConfigFault, ConfigFaults, NodeTemplate } from '../../domain/workflows/node-template.ts';

const LONGEST_PATH = 200;

/** Validates configs by the JSON Schemas of their templates; each schema is compiled at its first use. */
export function configFaultsBySchema(): ConfigFaults {
  let ajv: Ajv2020 | undefined;
  const compiled = new WeakMap<NodeTemplate, ValidateFunction>();
  return (template, config) => {
    // The schemas are our own and tests validate them against the draft, so a process need not.
    ajv ??= new Ajv2020({ allErrors: true, verbose: true, strict: true, validateSchema: false });
    const validate = compiled.get(template) ?? ajv.compile(template.config_schema);
    compiled.set(template, validate);
    if (validate(config)) return [];
    return (validate.errors ?? []).slice(0, WORKFLOW.configFaults).map(faultOf);
  };
}

/** The fault that ajv found, with the names that its message leaves out. */
function faultOf({ instancePath, keyword, message, params, parentSchema }: ErrorObject): ConfigFault {
  const path = instancePath.split('/').slice(1).map(unescaped);
  switch (keyword) {
    case 'additionalProperties':
      return fault([...path, params.additionalProperty], `is not known; ${membersOf(parentSchema)}`);
    case 'required':
      return fault([...path, params.missingProperty], 'is missing');
    case 'enum':
      return fault(path, `must be one of ${params.allowedValues.join(', ')}`);
    default:
      return fault(path, message ?? 'is not valid');
  }
}

function fault(path: readonly string[], message: string): ConfigFault {
  return { path: path.join('.').slice(0, LONGEST_PATH), message };
}

/** Unescapes a step of a JSON Pointer (RFC 6901). */
function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function membersOf(schema: ErrorObject['parentSchema']): string {
  const known = Object.keys(schema?.properties ?? {});
  return known.length === 0 ? 'nothing can be set here' : `known are ${known.join(', ')}`;
}
