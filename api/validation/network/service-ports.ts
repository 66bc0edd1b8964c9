import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  forbiddenField,
  index,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { ServicePort, ServiceSpec } from '../../types/core-v1-service.ts';
import { goIntOrString } from '../go-text/structs.ts';
import { duplicateLiteral, goPointer, goString, goStruct } from '../go-text/values.ts';
import { checked } from '../metadata.ts';
import { isDns1123Label, isPortName, isQualifiedName, portMessages } from '../names.ts';
import { invalidField } from '../../status/field-errors.ts';

type Port = DeepReadonly<ServicePort>;

/** Accepted protocols of ports. */
export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

/** Validates a port number. */
export const validatePort = (port: number, field: string): FieldErrors =>
  portMessages(port).map((message) => invalidField(field, port, message));

const validatePortOrName = (port: number | string, field: string): FieldErrors =>
  typeof port === 'number' ? validatePort(port, field) : checked(field, port, isPortName);

/** Validates the protocol of a port. */
export function validateProtocol(protocol: string, field: string): FieldErrors {
  if (protocol === '') return [requiredField(field)];
  return PROTOCOLS.includes(protocol) ? [] : [notSupportedField(field, protocol, PROTOCOLS)];
}

/**
 * Validates the name of a port: it must be unique in its list, and is required if there are several ports.
 * Adds the name to `taken`.
 */
export function validatePortName(
  name: string,
  required: boolean,
  taken: Set<string>,
  field: string,
): FieldErrors {
  if (name === '') return required ? [requiredField(field)] : [];
  const errors: FieldError[] = [...checked(field, name, isDns1123Label)];
  if (taken.has(name)) errors.push(duplicateField(field, name));
  taken.add(name);
  return errors;
}

/** Validates each port of a Service separately. */
export function validateServicePorts(spec: DeepReadonly<ServiceSpec> | undefined, path: string): FieldErrors {
  const ports = spec?.ports ?? [];
  const taken = new Set<string>();
  return ports.flatMap((port, at) => {
    const each = index(path, at);
    return [
      ...validatePortName(port.name ?? '', ports.length > 1, taken, child(each, 'name')),
      ...validatePort(port.port, child(each, 'port')),
      ...validateProtocol(port.protocol ?? '', child(each, 'protocol')),
      ...validatePortOrName(port.targetPort ?? 0, child(each, 'targetPort')),
      ...(port.appProtocol === undefined
        ? []
        : checked(child(each, 'appProtocol'), port.appProtocol, isQualifiedName)),
    ];
  });
}

/** Validates the ports against each other and against the type of the Service. */
export function validatePortUse(spec: DeepReadonly<ServiceSpec> | undefined, path: string): FieldErrors {
  const ports = spec?.ports ?? [];
  const errors: FieldError[] = [];
  if (spec?.type === 'ClusterIP') {
    ports.forEach(({ nodePort }, at) => {
      if (!nodePort) return;
      const detail = "may not be used when `type` is 'ClusterIP'";
      errors.push(forbiddenField(child(index(path, at), 'nodePort'), detail));
    });
  }
  const repeated = (
    keyOf: (port: Port) => string,
    complain: (port: Port, at: number) => FieldError,
  ): void => {
    const seen = new Set<string>();
    ports.forEach((port, at) => {
      const key = keyOf(port);
      if (key !== '' && seen.has(key)) errors.push(complain(port, at));
      seen.add(key);
    });
  };
  repeated(
    ({ protocol, nodePort }) => (nodePort ? `${protocol}/${nodePort}` : ''),
    ({ nodePort }, at) => duplicateField(child(index(path, at), 'nodePort'), nodePort),
  );
  repeated(
    ({ protocol, port }) => `${protocol}/${port}`,
    (port, at) => duplicateLiteral(index(path, at), printedPort(port)),
  );
  return errors;
}

const printedPort = ({ protocol, port }: Port): string =>
  goStruct('core.ServicePort', {
    Name: goString(''),
    Protocol: goString(protocol),
    AppProtocol: goPointer('string', undefined),
    Port: String(port),
    TargetPort: goIntOrString(0),
    NodePort: '0',
  });
