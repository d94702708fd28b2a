//! Ids are given once.

use super::*;

fn insert(txn: &WriteTxn, collection: i64) -> Result<i64, StoreError> {
    let id = txn.next_id(collection)?;
    txn.execute("INSERT INTO events(id, doc) VALUES (?1, jsonb('{}'))", &[Bind::Int(id)])?;
    Ok(id)
}

#[test]
fn an_id_is_never_given_again() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    let id = txn.create_collection("events", "integer", None)?.id;
    assert_eq!([insert(&txn, id)?, insert(&txn, id)?], [1, 2]);
    txn.commit()?;
    let txn = engine.begin()?;
    txn.execute("DELETE FROM events", &[])?;
    txn.commit()?;
    drop(engine);
    let engine = scene.open()?;
    let txn = engine.begin()?;
    assert_eq!(insert(&txn, id)?, 3);
    txn.note_id(id, 10)?;
    txn.note_id(id, -5)?;
    assert_eq!(txn.next_id(id)?, 11);
    txn.commit()?;
    scene.stranger()?.execute_batch("INSERT INTO events(id, doc) VALUES (40, jsonb('{}'))")?;
    assert_eq!(engine.begin()?.next_id(id)?, 41);
    Ok(())
}

#[test]
fn what_a_call_returned_before_it_was_rolled_back_is_not_given_again() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    let id = txn.create_collection("events", "integer", None)?.id;
    txn.commit()?;
    let txn = engine.begin()?;
    assert_eq!(insert(&txn, id)?, 1);
    drop(txn);
    let txn = engine.begin()?;
    assert_eq!(insert(&txn, id)?, 1, "no call has returned it");
    txn.note_ids_returned();
    drop(txn);
    let txn = engine.begin()?;
    assert_eq!(insert(&txn, id)?, 2);
    let savepoint = txn.savepoint()?;
    assert_eq!([insert(&txn, id)?, insert(&txn, id)?], [3, 4]);
    drop(savepoint);
    assert_eq!(insert(&txn, id)?, 3);
    let savepoint = txn.savepoint()?;
    assert_eq!(insert(&txn, id)?, 4);
    txn.note_ids_returned();
    drop(savepoint);
    assert_eq!(insert(&txn, id)?, 5);
    txn.commit()?;
    assert_eq!(int(&*engine.reader()?, "SELECT next_id FROM vellum_collection")?, 6);
    Ok(())
}

#[test]
fn past_the_largest_id_there_is_none() -> TestResult {
    let scene = Scene::new()?;
    let engine = scene.open()?;
    let txn = engine.begin()?;
    let id = txn.create_collection("events", "integer", None)?.id;
    txn.note_id(id, i64::MAX - 2)?;
    assert_eq!(txn.next_id(id)?, i64::MAX - 1);
    let Err(error) = txn.next_id(id) else { panic!("an id") };
    assert!(matches!(&error, StoreError::OutOfRange { collection } if &**collection == "events"));
    txn.commit()?;
    assert!(matches!(engine.begin()?.next_id(id), Err(StoreError::OutOfRange { .. })));
    Ok(())
}
