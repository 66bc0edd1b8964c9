import { chmodSync } from 'node:fs';
import { createCertificateAuthority } from '../../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../../base/pki/keys.ts';
import { createSystemRandom } from '../../../base/random/system.ts';
import type { KubectlFixture } from '../kubectl.ts';
import { request } from '../kubectl/manifests.ts';
import { manifests } from './manifests.ts';

/** Writes the files that the session reads to the session's working directory. */
export function writeFiles(k: KubectlFixture): void {
  for (const [name, text] of Object.entries(manifests)) k.file(name, text);
  k.file('csr.json', ['wanted', 'unwanted'].map((name) => JSON.stringify(request(name))).join('\n'));
  const keys = generateKeyPair('ec-p256');
  const validity = { notBeforeMs: Date.now(), notAfterMs: Date.now() + 3_600_000 };
  const { certificatePem } = createCertificateAuthority(
    { commonName: 'shop', organizations: [] },
    keys,
    validity,
    createSystemRandom(),
  );
  k.file('tls.key', privateKeyPem(keys.privateKey));
  k.file('tls.crt', certificatePem);
  chmodSync(k.file('edit.sh', `#!/bin/sh\nsed -i 's/a: "4"/a: edited/' "$1"\n`), 0o700);
}
