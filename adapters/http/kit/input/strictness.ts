import type { z } from 'zod';

/**
 * Refuses a schema that would accept an undeclared member, or drop it silently: z.object() and z.looseObject() at any
 * depth. Records, z.json(), z.unknown() and a typed catchall are open on purpose and are accepted.
 * @throws TypeError that names the place
 */
export function refuseLooseObjects(place: string, schema: z.core.$ZodType, seen = new Set<z.core.$ZodType>()): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  const definition = (schema as z.core.$ZodTypes)._zod.def;
  if (definition.type === 'object') {
    const catchall = definition.catchall?._zod.def.type;
    if (catchall === undefined || catchall === 'unknown')
      throw new TypeError(`${place} contains an object that is not strict: use z.strictObject`);
    const members = { ...definition.shape, '*': definition.catchall };
    for (const [name, member] of Object.entries(members))
      if (member) refuseLooseObjects(`${place}.${name}`, member, seen);
    return;
  }
  for (const inner of innerSchemas(definition)) refuseLooseObjects(place, inner, seen);
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
