import { hostname } from 'node:os';
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { VERSION } from '../version.ts';

/** Who sends spans and log lines. Attributes from the environment take precedence over those of the service. */
export function serviceResource(): Resource {
  const attributes = {
    'service.name': 'stancebook',
    'service.version': VERSION,
    'host.name': hostname(),
    'process.pid': process.pid,
  };
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource().merge(resourceFromAttributes(attributes)).merge(detectResources({ detectors }));
}
