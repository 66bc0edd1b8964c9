import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  invalidField,
  requiredField,
} from '../../status/field-errors.ts';
import type { ServiceReference, WebhookClientConfig } from '../../types/admissionregistration-v1.ts';
import { isDns1123Subdomain, portMessages } from '../names.ts';

const FORM = '; desired format: https://host[/path]';

/** Validates the address of a webhook: either a URL or a service. */
export function validateClientConfig(
  { url, service }: DeepReadonly<WebhookClientConfig>,
  path: string,
): FieldErrors {
  if ((url === undefined) === (service === undefined))
    return [requiredField(path, 'exactly one of url or service is required')];
  if (url !== undefined) return validateUrl(url, child(path, 'url'));
  return service === undefined ? [] : validateService(service, child(path, 'service'));
}

/** Checks the rules of `ValidateWebhookURL` in Kubernetes 1.24. */
function validateUrl(text: string, field: string): FieldErrors {
  // The pattern accepts URLs without a host or without a scheme, which Go parses but Node rejects.
  const parts =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?[^?#]*(\?[^#]*)?(#[\s\S]*)?$/.exec(
      text,
    );
  if (parts === null || /[\u0000-\u0020\u007f]/.test(text) || /%(?![0-9A-Fa-f]{2})/.test(text))
    return [
      requiredField(field, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URL${FORM}`),
    ];
  const [, scheme = '', user, host = '', query = '', fragment = ''] = parts;
  const errors: FieldError[] = [];
  const refused = (received: string, detail: string): void => {
    errors.push(invalidField(field, received, detail));
  };
  if (scheme.toLowerCase() !== 'https') {
    refused(scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORM}`);
  }
  if (host === '') refused('', `host must be provided${FORM}`);
  if (user !== undefined) refused(user, 'user information is not permitted in the URL');
  if (fragment.length > 1) refused(fragment.slice(1), 'fragments are not permitted in the URL');
  if (query.length > 1) refused(query.slice(1), 'query parameters are not permitted in the URL');
  return errors;
}

/**
 * Checks the rules of `ValidateWebhookService` in Kubernetes 1.24. Upstream's caller passes name and
 * namespace in the wrong order, so the errors of one have the path of the other.
 */
function validateService(
  { name = '', namespace = '', path: urlPath, port = 0 }: DeepReadonly<ServiceReference>,
  path: string,
): FieldErrors {
  const complaints = portMessages(port);
  return [
    ...(namespace === '' ? [requiredField(child(path, 'name'), 'service name is required')] : []),
    ...(name === '' ? [requiredField(child(path, 'namespace'), 'service namespace is required')] : []),
    ...(complaints.length === 0
      ? []
      : [invalidField(child(path, 'port'), port, `port is not valid: ${complaints.join(',')}`)]),
    ...(urlPath === undefined ? [] : validateUrlPath(urlPath, child(path, 'path'))),
  ];
}

function validateUrlPath(text: string, field: string): FieldErrors {
  if (text === '' || text === '/') return [];
  if (text === '//') return [invalidField(field, text, 'segment[0] may not be empty')];
  const steps = text.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(text.startsWith('/') ? [] : [invalidField(field, text, "must start with a '/'")]),
    ...steps.flatMap((step, at) =>
      step === ''
        ? [invalidField(field, text, `segment[${at}] may not be empty`)]
        : isDns1123Subdomain(step).map((message) => invalidField(field, text, `segment[${at}]: ${message}`)),
    ),
  ];
}
