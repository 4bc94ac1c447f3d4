import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { libraryFolders, unpackPackages } from '../apt.ts';
import { binaryVersion, OLDEST_CHROMIUM } from '../binary-version.ts';
import { cacheEntry } from '../cache-entry.ts';
import { type Search, type Source, unavailable } from '../sources/source.ts';
import { type Browser, chromiumArguments } from './chromium.ts';

/** Part of the name of the cache entry. Increase it when the content of the unpacked folder changes. */
const RECIPE = 1;

/** Debian's package of Chromium, unpacked into the cache; nothing is installed on the host. */
export const debianChromium: Source<Browser> = {
  name: 'Debian package of Chromium',
  async find(search) {
    if (process.platform !== 'linux') return unavailable('for Debian only');
    const entry = `chromium-debian-${RECIPE}-${process.arch}`;
    const { folder, built } = await cacheEntry(entry, search, (unfinished) => unpack(unfinished, search));
    const program = await programIn(folder, search.environment);
    const version = await binaryVersion(program.binary, OLDEST_CHROMIUM, { ...search, ...program });
    return {
      outcome: 'found',
      plan: {
        ...program,
        arguments: chromiumArguments(),
        description: `Chromium ${version} (Debian package, ${built ? 'fetched' : 'cached'})`,
      },
    };
  },
};

async function unpack(folder: string, search: Search): Promise<void> {
  search.onProgress('Fetching Chromium from the archive of this system (about 110 MB)');
  await unpackPackages('chromium-headless-shell', ['chromium-common', 'fonts-liberation'], folder, search);
  await writeFile(join(folder, 'fonts.conf'), FONTS);
  // The program is tested before it is cached, so that a cached program works on this machine.
  const program = await programIn(folder, search.environment);
  await binaryVersion(program.binary, OLDEST_CHROMIUM, { ...search, ...program });
}

async function programIn(folder: string, environment: NodeJS.ProcessEnv) {
  const libraries = await libraryFolders(folder);
  // Libraries of PulseAudio and NSS are in folders below those of the system.
  const nested = libraries.flatMap((library) => [join(library, 'pulseaudio'), join(library, 'nss')]);
  return {
    binary: join(folder, 'usr/lib/chromium/chromium-headless-shell'),
    environment: {
      ...environment,
      LD_LIBRARY_PATH: [...libraries, ...nested].join(':'),
      // The path is absolute: with a relative one, fontconfig uses the fonts of the host.
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

/** A font configuration with the unpacked fonts only, so that text has the same size on every host. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <match target="pattern">
    <test qual="any" name="family"><string>monospace</string></test>
    <edit name="family" mode="prepend" binding="strong"><string>Liberation Mono</string></edit>
  </match>
  <match target="pattern">
    <test qual="all" name="family" compare="not_eq"><string>monospace</string></test>
    <edit name="family" mode="append" binding="strong"><string>Liberation Sans</string></edit>
  </match>
</fontconfig>
`;
