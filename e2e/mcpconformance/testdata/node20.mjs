// The suite imports one function of Node 22 that no scenario of a client calls; Debian has Node 20.
import * as fs from 'node:fs'
import { register } from 'node:module'

if (!fs.globSync) {
  const shim = `data:text/javascript,export * from 'node:fs'; export const globSync = undefined`
  const hooks = `export const resolve = (name, context, next) => name === 'fs' ? { url: ${JSON.stringify(shim)}, shortCircuit: true } : next(name, context)`
  register('data:text/javascript,' + encodeURIComponent(hooks))
}
