import type { Descriptions } from './texts.ts';

const WEBHOOK = {
  admissionReviewVersions:
    'Versions of the review it understands, best first; the first that is known here is sent.',
  clientConfig: 'Address of the webhook.',
  failurePolicy:
    'Treatment of an unreachable webhook: `Fail`, the default, refuses the request, `Ignore` continues.',
  matchPolicy:
    '`Equivalent`, the default, also matches through other versions of a resource, `Exact` does not.',
  name: 'Fully qualified name, unique in the configuration, such as `check.example.com`.',
  namespaceSelector: 'Chooses requests by the labels of their namespace; default all.',
  objectSelector: 'Chooses requests by the labels of the object, old or new; default all.',
  rules: 'Requests that it receives; one of the rules must match.',
  sideEffects: '`None` or `NoneOnDryRun`; with any other a dry run fails without calling it.',
  timeoutSeconds: 'Seconds to wait for the answer, 1 to 30; default 10.',
};

/** Descriptions of the group `admissionregistration`. */
export const admissionregistration = (): Descriptions => ({
  MutatingWebhook: {
    '': 'A webhook that receives requests and may change their objects.',
    ...WEBHOOK,
    reinvocationPolicy: '`IfNeeded` asks again when a later plugin changed the object; default `Never`.',
  },
  MutatingWebhookConfiguration: {
    '': 'Webhooks that may change objects before they are validated.',
    webhooks: 'The webhooks, called one after the other.',
  },
  RuleWithOperations: {
    '': 'Requests that a webhook receives; every list must match.',
    apiGroups: 'API groups; `*` is all of them.',
    apiVersions: 'API versions; `*` is all of them.',
    operations: '`CREATE`, `UPDATE`, `DELETE`, `CONNECT`, or `*` for all of them.',
    resources: 'Resources such as `pods`, subresources such as `pods/status`, `pods/*` or `*/*`.',
    scope: '`Cluster`, `Namespaced` or, by default, `*` for both.',
  },
  ServiceReference: {
    '': 'A Service that a webhook answers at.',
    name: 'Name of the Service.',
    namespace: 'Namespace of the Service.',
    path: 'Path to post to; unset means `/`.',
    port: 'Port of the Service; default 443.',
  },
  ValidatingWebhook: {
    '': 'A webhook that receives requests and may refuse them.',
    ...WEBHOOK,
  },
  ValidatingWebhookConfiguration: {
    '': 'Webhooks that may refuse requests after all changes are made.',
    webhooks: 'The webhooks, called all at once.',
  },
  WebhookClientConfig: {
    '': 'Address of a webhook: a URL or a Service.',
    caBundle: "PEM certificates that the webhook's own is verified with; unset means those of the system.",
    service: 'Service that the webhook answers at; excludes `url`.',
    url: 'Address such as `https://host:port/path`, without credentials or query; excludes `service`.',
  },
});
