// Package keys has the keys of model providers that the environment does not have. They are in
// one of three places, which the user chooses for each provider:
//
//   - the file keys.json in the home folder, which only the user can read. A file that others can
//     read is refused;
//   - the keyring of the operating system, if there is one;
//   - the output of a command of the user, such as that of a password manager.
//
// The file names every provider with a key, and says where the key is. So nothing but this small
// file is read until a provider with a key elsewhere is called, and a keyring is not asked for
// keys that it does not have. Keys from the keyring and from commands are kept in memory for the
// process, and asked for again after a provider has refused them.
//
// # What always holds
//
//   - A key is looked up by the name of its provider: that of a vendor, or the address of a server
//     (config.KeyName). No other address gets it.
//   - Commands run without a shell, without a terminal, without the keys of this program in their
//     environment, and for at most 30 seconds.
//   - Errors and logs show no key and no output of a command. The redactor of the process knows
//     every key before a caller gets it.
//
// [Store] finds a key: in its file, in the keyring of the system, or from a command.
package keys
