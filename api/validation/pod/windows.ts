import type { DeepReadonly } from '../../kinds/kind.ts';
import { type FieldError, type FieldErrors, child, index, invalidField } from '../../status/field-errors.ts';
import type { WindowsSecurityContextOptions } from '../../types/core-v1-container.ts';
import type { PodSpec } from '../../types/core-v1-pod.ts';
import { checked } from '../metadata.ts';
import { isDns1123Subdomain } from '../names.ts';

type Options = DeepReadonly<WindowsSecurityContextOptions> | undefined;
type Spec = DeepReadonly<PodSpec> | undefined;

const SPEC_KIBIBYTES = 64;
const DOMAIN_LIMIT = 256;
const USER_LIMIT = 104;
const CONTROL = /\p{Cc}/u;
/** Pattern of a NetBIOS name, which does not begin with a dot. */
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS_NAME = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const NOT_IN_USERS = /["/\\:;|=,+*?<>@[\]]/;
const DOTS_AND_SPACES = /^[. ]+$/;

/** Checks the rules of `validateWindowsSecurityContextOptions` in Kubernetes 1.24. */
export function validateWindowsOptions(options: Options, path: string): FieldErrors {
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options ?? {};
  const field = child(path, 'gmsaCredentialSpec');
  const errors: FieldError[] = [];
  if (name !== undefined)
    errors.push(...checked(child(path, 'gmsaCredentialSpecName'), name, isDns1123Subdomain));
  if (spec === '') errors.push(invalidField(field, spec, 'gmsaCredentialSpec cannot be an empty string'));
  if (spec !== undefined && Buffer.byteLength(spec) > SPEC_KIBIBYTES * 1024) {
    errors.push(invalidField(field, spec, `gmsaCredentialSpec size must be under ${SPEC_KIBIBYTES} KiB`));
  }
  if (user === undefined) return errors;
  const refused = complaintsOfUser(user).map((detail) =>
    invalidField(child(path, 'runAsUserName'), user, `runAsUserName${detail}`),
  );
  return [...errors, ...refused];
}

/** Returns upstream's complaints about a user name of the form `user` or `domain\user`. */
function complaintsOfUser(name: string): readonly string[] {
  if (name === '') return [' cannot be an empty string'];
  if (CONTROL.test(name)) return [' cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? parts[0] : undefined;
  const complaints: string[] = [];
  if ((domain ?? '').length >= DOMAIN_LIMIT) {
    complaints.push(`'s Domain length must be under ${DOMAIN_LIMIT} characters`);
  }
  if (domain !== undefined && !NET_BIOS.test(domain) && !DNS_NAME.test(domain)) {
    complaints.push("'s Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') complaints.push("'s User cannot be empty");
  else if (user.length > USER_LIMIT) {
    complaints.push(`'s User length must not be longer than ${USER_LIMIT} characters`);
  }
  if (DOTS_AND_SPACES.test(user)) complaints.push("'s User cannot contain only periods or spaces");
  if (NOT_IN_USERS.test(user)) {
    complaints.push('\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return complaints;
}

/**
 * Checks the rules of `validateWindowsHostProcessPod` in Kubernetes 1.24: either all or no containers of a
 * pod are host processes.
 */
export function validateHostProcesses(spec: Spec, path: string): FieldErrors {
  const ofPod = spec?.securityContext?.windowsOptions?.hostProcess;
  const errors: FieldError[] = [];
  let [all, hosted] = [0, 0];
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    (spec?.[list] ?? []).forEach(({ securityContext }, at) => {
      const own = securityContext?.windowsOptions?.hostProcess;
      all += 1;
      if (ofPod !== undefined && own !== undefined && ofPod !== own) {
        const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
        const options = child(index(child(path, list), at), 'securityContext', 'windowsOptions');
        errors.push(invalidField(child(options, 'hostProcess'), own, detail));
      }
      if (own ?? ofPod) hosted += 1;
    });
  }
  if (hosted === 0) return errors;
  if (hosted !== all) {
    const detail =
      'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalidField(path, '', detail));
  }
  if (!spec?.hostNetwork) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalidField(child(path, 'hostNetwork'), false, detail));
  }
  return errors;
}
